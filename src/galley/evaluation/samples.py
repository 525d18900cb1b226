"""Benchmarks of single samples with a truth each: predict, score in parallel, mean, report."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

from galley.document import Label
from galley.errors import InputError
from galley.evaluation.parallel import map_limited
from galley.evaluation.predict import Task
from galley.evaluation.prediction_texts import PredictionTexts
from galley.evaluation.report import Case, Headline, Histogram, Report, Table
from galley.evaluation.settings import Settings

_WORST = 12

Metrics = dict[str, float]
"""Values by a column's key; a metric that says nothing about a sample is left out."""


@dataclass(frozen=True)
class Column:
    """A figure of the table: heading, key in the samples' metrics, and the factor it is shown with."""

    title: str
    key: str
    scale: float = 1.0
    lower_is_better: bool = False


@dataclass(frozen=True)
class Sample:
    """``name`` is unique and names the prediction; ``group`` is the split or kind it is counted in."""

    name: str
    truth: str
    source: Path
    group: str = ""


@dataclass
class Scored:
    """A sample with what was predicted for it (None: nothing) and its metrics."""

    sample: Sample
    predicted: str | None
    metrics: Metrics


@dataclass
class Scores:
    """The scores of a run.

    Attributes:
        missing: Samples without a prediction.
        problems: What was not scored as it should be.
    """

    scored: list[Scored]
    missing: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    name: str = ""


@dataclass(frozen=True)
class Benchmark:
    """What tells one benchmark from another.

    Attributes:
        title: Its name in the report.
        columns: The figures; the first one ranks samples and runs.
        score: Metrics of (prediction, truth); importable by name, since it runs in other processes.
        label: The samples are crops of one such block, not pages.
        as_parsed: The Markdown of ``galley parse`` is scored, as users get it.
        reasons: Why (prediction, truth) score as they do, by a column's key; the report then lists the worst
            samples by column.
    """

    title: str
    columns: tuple[Column, ...]
    score: Callable[[tuple[str, str]], Metrics]
    label: Label | None = None
    as_parsed: bool = False
    reasons: Callable[[str, str], dict[str, str]] | None = None


def read_truth(file: Path) -> str:
    """A truth's text.

    Raises:
        InputError: The file cannot be read or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8, which truths have to be; convert it") from error
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error


def score_samples(benchmark: Benchmark, samples: Sequence[Sample], settings: Settings) -> Scores:
    """Predict where asked to and score every sample; one without a prediction scores as empty.

    Raises:
        InputError: There are no samples, or no prediction for any.
    """
    if not samples:
        raise InputError(f"{settings.data} holds no samples of {benchmark.title}")

    def tasks(folder: Path) -> list[Task]:
        return [
            Task(s.source, folder / f"{s.name}.md", label=benchmark.label, as_parsed=benchmark.as_parsed)
            for s in samples
        ]

    path, failed = settings.predictions(tasks)
    predicted = PredictionTexts(path)
    texts = [predicted.get(sample.name, _image_name(sample)) for sample in samples]
    missing = [sample.name for sample, text in zip(samples, texts, strict=True) if text is None]
    if len(missing) == len(samples):
        reason = f": {failed[0]}" if failed else ""
        raise InputError(f"{path} holds no prediction for any of the {len(samples)} samples{reason}")
    name = path.resolve().name if path.is_dir() else path.stem
    result = Scores([], missing, [f"not predicted: {problem}" for problem in failed], name)
    if settings.leave_out_missing:
        kept = [(s, t) for s, t in zip(samples, texts, strict=True) if t is not None]
        samples, texts = [s for s, _ in kept], [t for _, t in kept]
    elif not failed:  # else the same samples are listed with the reason
        result.problems += [f"no prediction, scored as empty: {name}" for name in missing]
    _score_all(benchmark, samples, texts, settings, result)
    return result


def _image_name(sample: Sample) -> str:
    return (Path(sample.name).parent / sample.source.name).as_posix()


def _score_all(
    benchmark: Benchmark,
    samples: Sequence[Sample],
    texts: Sequence[str | None],
    settings: Settings,
    result: Scores,
) -> None:
    def progress(done: int, total: int) -> None:
        if done % 500 == 0 or done == total:
            settings.say(f"scored {done} of {total} samples")

    jobs = [(text or "", sample.truth) for sample, text in zip(samples, texts, strict=True)]
    outcomes = map_limited(
        benchmark.score, jobs, workers=settings.workers, seconds=settings.item_seconds, progress=progress
    )
    for sample, text, outcome in zip(samples, texts, outcomes, strict=True):
        metrics = outcome.value
        if metrics is None:
            result.problems.append(f"{sample.name}: scored as empty: {outcome.problem}")
            metrics = benchmark.score(("", sample.truth))
        result.scored.append(Scored(sample, text, metrics))


def means(benchmark: Benchmark, scored: Sequence[Scored]) -> list[float | None]:
    """Each column's mean over the samples that have it, scaled."""
    return [
        column.scale * fmean(values) if (values := _values(scored, column.key)) else None
        for column in benchmark.columns
    ]


def _values(scored: Sequence[Scored], key: str) -> list[float]:
    return [entry.metrics[key] for entry in scored if key in entry.metrics]


def make_report(benchmark: Benchmark, scores: Scores, settings: Settings) -> Report:
    """The table, means by group, histograms and the worst samples; all samples in ``samples.csv``."""
    report = Report(f"{benchmark.title}: {scores.name}")
    report.intro.append(f"{len(scores.scored)} samples of {settings.data.name}.")
    if scores.missing:
        how = "left out" if settings.leave_out_missing else "scored as empty"
        report.warnings.append(f"{len(scores.missing)} samples have no prediction and are {how}")
    report.failures += scores.problems
    head = [column.title for column in benchmark.columns]
    row = means(benchmark, scores.scored)
    report.tables.append(Table("Result", ["samples", *head], [[len(scores.scored), *row]]))
    first = benchmark.columns[0]
    report.headline = Headline(head, row, first.title, row[0])
    groups: dict[str, list[Scored]] = {}
    for entry in scores.scored:
        groups.setdefault(entry.sample.group, []).append(entry)
    if len(groups) > 1:
        rows = [[name, len(of), *means(benchmark, of)] for name, of in groups.items()]
        report.tables.append(Table("By group", ["group", "samples", *head], rows))
    report.plots += [
        Histogram(column.title, _values(scores.scored, column.key)) for column in benchmark.columns
    ]
    if benchmark.reasons is not None:
        report.tables += _worst_by_column(benchmark.columns, benchmark.reasons, scores.scored)
    report.cases += _worst(scores.scored, first)
    _write_samples(benchmark, scores.scored, settings.out / "samples.csv")
    return report


def _worst_by_column(
    columns: Sequence[Column], reasons: Callable[[str, str], dict[str, str]], scored: Sequence[Scored]
) -> list[Table]:
    """A table for each column that reasons are given for: its worst samples and why; perfect ones are left out."""
    tables = []
    for column in columns:
        rows = []
        for entry in _by_score(scored, column)[:_WORST]:
            value = entry.metrics.get(column.key)
            if value is None or value == (0.0 if column.lower_is_better else 1.0):
                break
            why = reasons(entry.predicted or "", entry.sample.truth).get(column.key)
            if why is not None:
                rows.append([entry.sample.name, value, why])
        if rows:
            tables.append(Table(f"Worst by {column.title}", ["sample", column.title, "why"], rows))
    return tables


def _write_samples(benchmark: Benchmark, scored: Sequence[Scored], path: Path) -> None:
    """One line per sample, those that score worst first; a metric that says nothing about a sample is empty."""
    rows = _by_score(scored, benchmark.columns[0])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["sample", "group", *(column.key for column in benchmark.columns)])
        for entry in rows:
            values = (entry.metrics.get(column.key) for column in benchmark.columns)
            cells = ("" if value is None else f"{value:.6f}" for value in values)
            writer.writerow([entry.sample.name, entry.sample.group, *cells])


def _by_score(scored: Sequence[Scored], column: Column) -> list[Scored]:
    """The samples that have the score, worst first, then those that have none."""
    known = [entry for entry in scored if column.key in entry.metrics]
    known.sort(key=lambda entry: entry.metrics[column.key], reverse=column.lower_is_better)
    return known + [entry for entry in scored if column.key not in entry.metrics]


def _worst(scored: Sequence[Scored], column: Column) -> list[Case]:
    """The samples with the worst value of the benchmark's score."""
    return [
        Case(
            entry.sample.name,
            f"{entry.metrics[column.key]:.3f}",
            entry.sample.truth,
            entry.predicted or "",
            entry.sample.source,
        )
        for entry in _by_score(scored, column)[:_WORST]
        if column.key in entry.metrics
    ]
