"""``galley eval opendataloader-bench``: reading order, tables and headings of born-digital pages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from galley.errors import InputError
from galley.evaluation.opendataloader.metrics import page_scores
from galley.evaluation.opendataloader.reasons import page_reasons
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

_LAYOUTS = (("pdf", "truth"), ("pdfs", "ground-truth/markdown"))


def score(pair: tuple[str, str]) -> Metrics:
    """The benchmark's scores of (prediction, truth)."""
    return page_scores(*pair)


OPENDATALOADER = Benchmark(
    "opendataloader-bench",
    (
        Column("Overall ↑", "overall"),
        Column("Reading order NID ↑", "nid"),
        Column("Tables TEDS ↑", "teds"),
        Column("Headings MHS ↑", "mhs"),
        Column("NID-S ↑", "nid_s"),
        Column("TEDS-S ↑", "teds_s"),
        Column("MHS-S ↑", "mhs_s"),
    ),
    score,
    as_parsed=True,
    reasons=page_reasons,
)


def benchmark(settings: Settings) -> Report:
    """Parse the PDFs and score reading order, tables and headings.

    Args:
        settings: ``data`` is a folder with ``pdf/`` and ``truth/``, or a copy of the public repository, whose
            ``prediction/ENGINE`` folders can be given as predictions too.
    """
    samples = load(settings.data)
    inner = settings.pred / "markdown" if settings.pred else None
    within = replace(settings, pred=inner) if inner and inner.is_dir() else settings
    scores = score_samples(OPENDATALOADER, samples, within)
    if settings.pred:
        scores.name = settings.pred.resolve().name
    return make_report(OPENDATALOADER, scores, settings)


def load(data: Path) -> list[Sample]:
    """Every page that has a truth, by name.

    Raises:
        InputError: The folder is laid out otherwise, or a truth is not UTF-8.
    """
    for pdfs, truths in _LAYOUTS:
        files = sorted((data / truths).glob("*.md"))
        if files:
            return [Sample(file.stem, read_truth(file), data / pdfs / f"{file.stem}.pdf") for file in files]
    wanted = " nor ".join(f"{truths}/*.md beside {pdfs}/" for pdfs, truths in _LAYOUTS)
    raise InputError(f"{data} holds neither {wanted}")
