"""Scores of a real-set run: per sample, per kind, and speed and memory per system."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rapidfuzz.distance import Levenshtein

from galley.evaluation.omnidocbench import normalise
from galley.evaluation.realset.data import Sample
from galley.evaluation.realset.predictions import Predictions
from galley.evaluation.teds import teds
from galley.evaluation.text_metrics import character_similarity, word_f1

_LABEL = re.compile(r"\\label\s*\{[^}]*\}")


@dataclass(frozen=True)
class Score:
    """One system on one sample; values 0 to 1, ``None`` where the sample cannot tell."""

    system: str
    sample: Sample
    similarity: float | None = None
    word_f1: float | None = None
    teds: float | None = None
    teds_structure: float | None = None
    formula: float | None = None
    error: str | None = None


@dataclass(frozen=True)
class Speed:
    """Pages only. ``wall`` and ``cpu`` are means in seconds per page; ``runs`` > 1: times of several runs."""

    pages: int
    wall: float
    cpu: float
    load: float
    peak_bytes: int
    runs: int


def score(samples: Iterable[Sample], predictions: Predictions) -> list[Score]:
    """Scores of one system on every sample it answered; a failed sample scores as an empty answer."""
    known = [sample for sample in samples if sample.id in predictions.records]
    return [_score(predictions.name, sample, predictions.records[sample.id]) for sample in known]


def _score(name: str, sample: Sample, record: dict[str, Any]) -> Score:
    error = record.get("error")
    if sample.task == "table":
        table = max(record["tables"], key=len, default="")
        full, structure = teds(table, sample.truth), teds(table, sample.truth, structure_only=True)
        return Score(name, sample, teds=full, teds_structure=structure, error=error)
    if sample.task == "formula":
        return Score(
            name, sample, formula=_formula_similarity(record.get("formulas", []), sample.truth), error=error
        )
    similarity = character_similarity(record["text"], sample.truth) if sample.ordered else None
    return Score(name, sample, similarity, word_f1(record["text"], sample.truth), error=error)


def _formula_similarity(formulas: list[str], truth: str) -> float:
    """1 - edit distance / longer length of the formulas as the OmniDocBench protocol compares them."""
    mine, wanted = (
        normalise.formula(f"$${latex}$$") for latex in (" ".join(formulas), _LABEL.sub("", truth))
    )
    return float(Levenshtein.normalized_similarity(mine, wanted))


def by_kind(scores: Iterable[Score]) -> dict[str, dict[str, list[Score]]]:
    """``kind → system → scores``, kinds in order of first appearance."""
    grouped: dict[str, dict[str, list[Score]]] = defaultdict(lambda: defaultdict(list))
    for entry in scores:
        grouped[entry.sample.kind][entry.system].append(entry)
    return grouped


def mean(scores: Iterable[Score], measure: str) -> float | None:
    """Mean of a measure over the scores that have it."""
    values = [value for value in (getattr(entry, measure) for entry in scores) if value is not None]
    return fmean(values) if values else None


def speed(samples: Iterable[Sample], predictions: Predictions) -> Speed | None:
    """Time and memory over the pages a system finished."""
    pages = [predictions.records[s.id] for s in samples if s.task == "page" and s.id in predictions.records]
    timed = [record for record in pages if record["seconds"] is not None]
    if not timed:
        return None
    return Speed(
        pages=len(timed),
        wall=fmean(record["seconds"] for record in timed),
        cpu=fmean(record["cpu_seconds"] for record in timed),
        load=fmean(record["load_seconds"] for record in timed),
        peak_bytes=max(record["peak_bytes"] for record in pages),
        runs=len({record["run"] for record in timed}),
    )
