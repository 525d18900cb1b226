"""``galley eval unimer-test``: CDM and edit distance by split."""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

from galley.document import Label
from galley.evaluation.benchmarks import Settings
from galley.evaluation.cdm import require_renderer
from galley.evaluation.cdm.batch import Batch, cdm_batch
from galley.evaluation.report import Report, Table
from galley.evaluation.samples import Benchmark, Column, Metrics, Scores, make_report, score_samples
from galley.evaluation.unimer.truth import load

_GROUP = re.compile(r"\\(?:operatorname|mathrm|text|mathbf)\s?\*? \{.*?\}")
_IDLE_SPACE = re.compile(r"(?<![a-zA-Z\\\s])\s+|(?<!\\)\s+(?![a-zA-Z\s])")
_DELIMITERS = re.compile(r"^\s*(?:\$\$|\$|\\\[|\\\()|(?:\$\$|\$|\\\]|\\\))\s*$")


def squeezed(latex: str) -> str:
    """Without white space that separates no two words and without that inside upright text (the benchmark's
    normal form).
    """
    text = _GROUP.sub(lambda match: match[0].replace(" ", ""), latex)
    return re.sub(r"(?<=[a-zA-Z])\s+(?=[a-zA-Z])", " ", _IDLE_SPACE.sub("", text.strip()))


def bare(markdown: str) -> str:
    """A predicted formula without its delimiters."""
    return _DELIMITERS.sub("", markdown.strip()).strip()


def score(pair: tuple[str, str]) -> Metrics:
    """Edit distance of (prediction, truth) in the normal form, 0 to 1."""
    predicted, true = squeezed(bare(pair[0])), squeezed(pair[1])
    return {"edit": Levenshtein.normalized_distance(predicted, true)}


_EDIT = Column("Edit ↓", "edit", lower_is_better=True)
WITH_CDM = Benchmark("UniMER-Test", (Column("CDM ↑", "cdm"), _EDIT), score, Label.FORMULA)
WITHOUT_CDM = Benchmark("UniMER-Test", (_EDIT,), score, Label.FORMULA)


def benchmark(settings: Settings) -> Report:
    """``settings.data``: the folder with ``spe.txt``, ``cpe.txt``, ``sce.txt``, ``hwe.txt`` and the folders of
    pictures named alike.
    """
    if settings.cdm:
        require_renderer()  # before the hours of prediction, not after
    kind = WITH_CDM if settings.cdm else WITHOUT_CDM
    scores = score_samples(kind, load(settings.data), settings)
    drawn = _add_cdm(scores, settings) if settings.cdm else Batch([])
    report = make_report(kind, scores, settings)
    if drawn.undrawn:
        report.warnings.append(
            f"{len(drawn.undrawn)} predicted formulas cannot be drawn and score 0; they are listed below"
        )
        rows = [[problem] for problem in drawn.undrawn]
        report.tables.append(Table("Formulas TeX cannot draw", ["what"], rows))
    return report


def _add_cdm(scores: Scores, settings: Settings) -> Batch:
    pairs = [(bare(entry.predicted or ""), entry.sample.truth) for entry in scores.scored]
    batch = cdm_batch(pairs, settings.out / "cdm-cache", workers=settings.workers, say=settings.say)
    for entry, f1 in zip(scores.scored, batch.f1, strict=True):
        entry.metrics["cdm"] = f1
    scores.problems += batch.problems
    return batch
