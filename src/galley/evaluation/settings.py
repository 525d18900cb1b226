"""What a run of a benchmark is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from galley.errors import InputError
from galley.evaluation.predict import Predictor, Task


@dataclass(frozen=True)
class Settings:
    """What a benchmark runs with.

    Attributes:
        data: The benchmark's files.
        out: Folder for predictions, scores and reports.
        predictor: Makes the predictions where ``pred`` is not given.
        pred: Predictions that are there: a folder, or a file where the benchmark knows one.
        workers: Processes that score.
        cdm: Draw formulas and compare the pictures.
        leave_out_missing: Do not count what has no prediction, instead of scoring it as empty.
        item_seconds: The most one page, table or formula may take to score.
        say: Takes a line about progress.
    """

    data: Path
    out: Path
    predictor: Predictor
    pred: Path | None = None
    workers: int = 1
    cdm: bool = True
    leave_out_missing: bool = False
    item_seconds: float = 120.0
    say: Callable[[str], None] = field(default=lambda _: None)

    @property
    def predicted(self) -> Path:
        """Where the predictions are or will be."""
        return self.pred or self.out / "predictions"

    def predictions(self, tasks: Callable[[Path], list[Task]]) -> tuple[Path, list[str]]:
        """Predictions, made where none are given.

        Args:
            tasks: Gives what is to be predicted into a folder.

        Returns:
            The folder of predictions (or the file that was given), and what could not be predicted.

        Raises:
            InputError: The predictions given do not exist.
        """
        folder = self.predicted
        if self.pred is None:
            return folder, self.predictor.run(tasks(folder), folder, self.say)
        if not folder.exists():
            raise InputError(f"{folder} does not exist; --pred names a folder of predictions")
        return folder, []
