"""``galley eval unimer-test``: CDM and edit distance by split."""

from __future__ import annotations

import re
from pathlib import Path

from rapidfuzz.distance import Levenshtein

from galley.document import Label
from galley.errors import InputError
from galley.evaluation.cdm import require_renderer
from galley.evaluation.cdm.batch import Batch, cdm_batch
from galley.evaluation.report import Report, Table
from galley.evaluation.samples import Benchmark, Column, Metrics, Sample, Scores, make_report, score_samples
from galley.evaluation.settings import Settings

SPLITS = ("spe", "cpe", "sce", "hwe")
"""Simple and complex printed, screen-captured and handwritten expressions."""

_GROUP = re.compile(r"\\(?:operatorname|mathrm|text|mathbf)\s?\*? \{.*?\}")
_IDLE_SPACE = re.compile(r"(?<![a-zA-Z\\\s])\s+|(?<!\\)\s+(?![a-zA-Z\s])")
_DELIMITERS = re.compile(r"^\s*(?:\$\$|\$|\\\[|\\\()|(?:\$\$|\$|\\\]|\\\))\s*$")


def normal_form(latex: str) -> str:
    r"""The benchmark's normal form of a formula.

    White space is left out where it separates no two words, and inside ``\mathrm`` and the like.
    """
    text = _GROUP.sub(lambda match: match[0].replace(" ", ""), latex)
    return re.sub(r"(?<=[a-zA-Z])\s+(?=[a-zA-Z])", " ", _IDLE_SPACE.sub("", text.strip()))


def without_delimiters(markdown: str) -> str:
    """A predicted formula without its delimiters."""
    return _DELIMITERS.sub("", markdown.strip()).strip()


def score(pair: tuple[str, str]) -> Metrics:
    """Edit distance of (prediction, truth) in the normal form, 0 to 1."""
    predicted, true = normal_form(without_delimiters(pair[0])), normal_form(pair[1])
    return {"edit": Levenshtein.normalized_distance(predicted, true)}


_EDIT = Column("Edit ↓", "edit", lower_is_better=True)
WITH_CDM = Benchmark("UniMER-Test", (Column("CDM ↑", "cdm"), _EDIT), score, Label.FORMULA)
WITHOUT_CDM = Benchmark("UniMER-Test", (_EDIT,), score, Label.FORMULA)


def benchmark(settings: Settings) -> Report:
    """Read the formula pictures and score them by edit distance and, where it can be computed, CDM.

    Args:
        settings: ``data`` is the folder with ``spe.txt``, ``cpe.txt``, ``sce.txt``, ``hwe.txt`` and the folders
            of pictures of the same names.
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
    pairs = [(without_delimiters(entry.predicted or ""), entry.sample.truth) for entry in scores.scored]
    batch = cdm_batch(pairs, settings.out / "cdm-cache", workers=settings.workers, say=settings.say)
    for entry, f1 in zip(scores.scored, batch.f1, strict=True):
        entry.metrics["cdm"] = f1
    scores.problems += batch.problems
    return batch


def load(data: Path) -> list[Sample]:
    """The formulas that have a picture, ``<split>/<line, from 0, seven digits>.png``.

    Args:
        data: The folder of the splits, or the one above it.
    """
    root = data / "test" if (data / "test").is_dir() else data
    samples = [sample for split in SPLITS for sample in _split(root, split)]
    if not samples:
        raise InputError(
            f"{data} holds none of {', '.join(f'{split}.txt' for split in SPLITS)} with pictures"
        )
    return samples


def _split(root: Path, split: str) -> list[Sample]:
    file = root / f"{split}.txt"
    if not file.is_file():
        return []
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    samples = []
    for number, line in enumerate(lines):
        picture = root / split / f"{number:07d}.png"
        if line.strip() and picture.is_file():
            samples.append(Sample(f"{split}/{picture.stem}", line.strip(), picture, split))
    return samples
