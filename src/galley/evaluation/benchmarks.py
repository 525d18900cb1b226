"""Benchmarks by name: predict where asked to, score, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from galley.errors import InputError, UsageError
from galley.evaluation.predict import Predictor, Task
from galley.evaluation.report import Report, write

_HOMES = {
    "omnidocbench": "galley.evaluation.omnidocbench.benchmark",
}
NAMES = tuple(_HOMES)


@dataclass(frozen=True)
class Settings:
    """A benchmark run. ``pred``: a folder of predictions; without one ``predictor`` makes them in ``out``.

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

    def predictions(self, tasks: Callable[[Path], list[Task]]) -> tuple[Path, list[str]]:
        """The folder of predictions and what could not be predicted; ``tasks`` gives the tasks for a
        folder.
        """
        if self.pred is not None:
            if not self.pred.is_dir():
                raise InputError(f"{self.pred} is no folder of predictions")
            return self.pred, []
        folder = self.out / "predictions"
        return folder, self.predictor.run(tasks(folder), self.say)


def run(name: str, settings: Settings) -> Report:
    """Runs a benchmark, writes ``report.md`` and ``report.html`` into ``settings.out`` and returns the
    report.
    """
    if name not in _HOMES:
        raise UsageError(f"no benchmark {name}; there are {', '.join(NAMES)}")
    settings.out.mkdir(parents=True, exist_ok=True)
    report: Report = import_module(_HOMES[name]).benchmark(settings)
    write(report, settings.out)
    return report
