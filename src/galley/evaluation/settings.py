"""What a run of a benchmark is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from galley.errors import InputError
from galley.evaluation.predict import Predictor, Task


@dataclass(frozen=True)
class Settings:
    """A benchmark run. ``pred``: predictions there are; without them ``predictor`` makes them in ``out``.

    cdm: render formulas. leave_out_missing: do not count what has no prediction. item_seconds: the most one
    page, table or formula may take to score.
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
        """The folder of predictions (or a file, where one was given) and what could not be predicted;
        ``tasks`` gives the tasks for a folder.
        """
        folder = self.predicted
        if self.pred is None:
            return folder, self.predictor.run(tasks(folder), folder, self.say)
        if not folder.exists():
            raise InputError(f"{folder} does not exist; --pred names a folder of predictions")
        return folder, []
