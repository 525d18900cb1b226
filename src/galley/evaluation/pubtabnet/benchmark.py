"""``galley eval pubtabnet``: TEDS and TEDS-S over the validation tables, simple and complex apart."""

from __future__ import annotations

from galley.document import Label
from galley.evaluation.benchmarks import Settings
from galley.evaluation.pubtabnet.truth import load
from galley.evaluation.report import Report
from galley.evaluation.samples import Benchmark, Column, Metrics, make_report, score_samples
from galley.evaluation.teds import teds


def score(pair: tuple[str, str]) -> Metrics:
    """TEDS and TEDS-S of (prediction, truth)."""
    return {"teds": teds(*pair), "structure": teds(*pair, structure_only=True)}


PUBTABNET = Benchmark(
    "PubTabNet", (Column("TEDS ↑", "teds"), Column("TEDS-S ↑", "structure")), score, Label.TABLE
)


def benchmark(settings: Settings) -> Report:
    """``settings.data``: ``PubTabNet_2.0.0.jsonl``, the official evaluation's truth as JSON, or the folder of
    either.
    """
    samples = load(settings.data)
    return make_report(PUBTABNET, score_samples(PUBTABNET, samples, settings), settings)
