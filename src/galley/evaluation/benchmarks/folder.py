"""``galley eval folder``: edit similarity, word F1 and TEDS on one's own files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from statistics import fmean

import numpy as np
from scipy.optimize import linear_sum_assignment

from galley.errors import InputError
from galley.evaluation.omnidocbench.fuzzy import cost_matrix
from galley.evaluation.omnidocbench.normalise import table
from galley.evaluation.omnidocbench.prediction import Kind, elements
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
from galley.evaluation.teds import teds
from galley.evaluation.text_metrics import character_similarity, word_f1

TRUTHS = (".md", ".txt", ".html")
PAGES = (".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".gif", ".heic")


def score(pair: tuple[str, str]) -> Metrics:
    """Edit similarity and word F1 of (prediction, truth), and the mean TEDS of the truth's tables."""
    metrics = {"edit": character_similarity(*pair), "words": word_f1(*pair)}
    predicted, true = (_tables(text) for text in pair)
    if true:
        columns = {"teds": False, "structure": True}
        order = _assigned(predicted, true)
        for key, structure in columns.items():
            metrics[key] = fmean(
                teds(p, t, structure_only=structure) for p, t in zip(order, true, strict=True)
            )
    return metrics


def _tables(text: str) -> list[str]:
    """HTML and pipe tables in the form OmniDocBench compares: no attributes but spans, plain cells."""
    return [table(element.content) for element in elements(text) if element.kind is Kind.HTML_TABLE]


def _assigned(predicted: list[str], true: list[str]) -> list[str]:
    """For each true table the predicted one that is meant by it, nothing where none is left."""
    rows, columns = linear_sum_assignment(np.asarray(cost_matrix(true, predicted)))
    chosen = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    return [predicted[chosen[i]] if i in chosen else "" for i in range(len(true))]


FOLDER = Benchmark(
    "Folder",
    (
        Column("Edit similarity ↑", "edit"),
        Column("Word F1 ↑", "words"),
        Column("TEDS ↑", "teds"),
        Column("TEDS-S ↑", "structure"),
    ),
    score,
)


def benchmark(settings: Settings) -> Report:
    """``settings.data``: a folder, read with the folders in it, which group the samples."""
    return make_report(FOLDER, score_samples(FOLDER, load(settings.data), settings), settings)


def load(data: Path) -> list[Sample]:
    """Every picture or PDF that has a truth; raises ``InputError`` for names that are not unique."""
    if not data.is_dir():
        raise InputError(f"{data} is no folder of pictures or PDFs with truth files")
    samples = []
    for source in sorted(path for path in data.rglob("*") if path.suffix.lower() in PAGES):
        truth = next((f for suffix in TRUTHS if (f := source.with_suffix(suffix)).is_file()), None)
        if truth is not None:
            place = source.relative_to(data)
            text = read_truth(truth)
            group = place.parent.as_posix()
            samples.append(
                Sample(place.with_suffix("").as_posix(), text, source, "" if group == "." else group)
            )
    doubled = [name for name, count in Counter(sample.name for sample in samples).items() if count > 1]
    if doubled:
        raise InputError(f"{data}: two files are named {doubled[0]}; a truth belongs to one of them")
    if not samples:
        raise InputError(
            f"{data} holds no picture or PDF with a truth; a truth is named alike, with {', '.join(TRUTHS)}"
        )
    return samples
