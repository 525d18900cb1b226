"""A benchmark as a newcomer would add it: pairs of a picture and one line of text, scored by length."""

from __future__ import annotations

from pathlib import Path

from galley.evaluation.report import Report
from galley.evaluation.samples import (
    Benchmark,
    Column,
    Metrics,
    Sample,
    make_report,
    read_truth,
    score_samples,
)
from galley.evaluation.settings import Settings


def score(pair: tuple[str, str]) -> Metrics:
    return {"length": min(map(len, pair)) / max(1, *map(len, pair))}


TOY = Benchmark("Toy", (Column("Length ↑", "length"),), score)


def load(data: Path) -> list[Sample]:
    return [Sample(file.stem, read_truth(file), file.with_suffix(".png")) for file in data.glob("*.txt")]


def benchmark(settings: Settings) -> Report:
    return make_report(TOY, score_samples(TOY, load(settings.data), settings), settings)
