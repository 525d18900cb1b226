"""``galley eval icdar13``: precision, recall and F1 of neighbouring cells, document by document."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from galley.evaluation.icdar13.adjacency import Relation, compared, document_relations
from galley.evaluation.records import read_json
from galley.evaluation.report import Report
from galley.evaluation.samples import (
    Benchmark,
    Column,
    Metrics,
    Sample,
    make_report,
    score_samples,
)
from galley.evaluation.settings import Settings


def score(pair: tuple[str, str]) -> Metrics:
    """Precision, recall and F1 of (a document's Markdown, its true relations as ``load`` writes them)."""
    found, true = document_relations(pair[0]), _relations(pair[1])
    right = (found & true).total()
    precision, recall = right / max(1, found.total()), right / max(1, true.total())
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return {"f1": f1, "precision": precision, "recall": recall}


ICDAR13 = Benchmark(
    "ICDAR 2013 table competition",
    (Column("F1 ↑", "f1"), Column("Precision ↑", "precision"), Column("Recall ↑", "recall")),
    score,
    as_parsed=True,
)


def benchmark(settings: Settings) -> Report:
    """``settings.data``: a folder with ``pdf/`` and ``truth.json``, the relations of each document."""
    samples = load(settings.data)
    return make_report(ICDAR13, score_samples(ICDAR13, samples, settings), settings)


def load(data: Path) -> list[Sample]:
    """Every document of ``truth.json``; its truth has one relation a line: both texts, direction, count.

    Raises:
        InputError: There is no such file, or it holds something else.
    """
    what = "a JSON object of [text, neighbour, direction, count] by document"
    truth = read_json(data / "truth.json", dict[str, list[tuple[str, str, str, int]]], what)
    return [
        Sample(name, _lines(relations), data / "pdf" / f"{name}.pdf") for name, relations in truth.items()
    ]


def _lines(relations: list[tuple[str, str, str, int]]) -> str:
    return "\n".join(
        f"{compared(text)}\t{compared(neighbour)}\t{compared(way)}\t{count}"
        for text, neighbour, way, count in relations
    )


def _relations(lines: str) -> Counter[Relation]:
    found: Counter[Relation] = Counter()
    for line in lines.splitlines():
        text, neighbour, direction, count = line.split("\t")
        found[Relation(text, neighbour, direction)] += int(count)
    return found
