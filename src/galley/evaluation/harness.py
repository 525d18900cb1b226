"""Benchmarks by name: predict where asked to, score, report; one run or several side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from galley.errors import UsageError
from galley.evaluation.benchmarks import BENCHMARKS
from galley.evaluation.predict import prediction_speed
from galley.evaluation.report import Point, Report, Scatter, Table, write
from galley.evaluation.settings import Settings


def run(name: str, settings: Settings) -> Report:
    """Runs a benchmark, writes ``report.md`` and ``report.html`` into ``settings.out`` and returns the
    report.
    """
    if name not in BENCHMARKS:
        raise UsageError(f"no benchmark {name}; there are {', '.join(BENCHMARKS)}")
    settings.out.mkdir(parents=True, exist_ok=True)
    report: Report = import_module(BENCHMARKS[name]).benchmark(settings)
    speed = prediction_speed(settings.predicted)
    if speed is not None:
        report.pages_per_second = speed.pages_per_second
        report.intro.append(
            f"Read by Galley at {speed.pages_per_second:.3g} samples/s, {speed.cpu_seconds:.3g} CPU seconds each, on "
            "this machine."
        )
    write(report, settings.out)
    return report


def compare(name: str, runs: Mapping[str, Settings], out: Path) -> Report:
    """Runs a benchmark several times, each into a folder of ``out`` named after the run, and reports one table
    and quality against speed in ``out``.
    """
    reports = {}
    for label, settings in runs.items():
        settings.say(f"== {label}")
        reports[label] = run(name, replace(settings, out=out / label))
    together = _together(name, reports)
    write(together, out)
    return together


def _together(name: str, reports: Mapping[str, Report]) -> Report:
    titles = {report.title.split(":")[0] for report in reports.values()}
    whole = Report(f"{' / '.join(sorted(titles))}: {', '.join(reports)}")
    heads = [report.headline for report in reports.values() if report.headline is not None]
    if not heads:
        return whole
    rows = [
        [label, *report.headline.row, _rate(report.pages_per_second)]
        for label, report in reports.items()
        if report.headline is not None
    ]
    note = "Each run has a report of its own in the folder of its name."
    whole.tables.append(Table("Result", ["run", *heads[0].head, "samples/s"], rows, note))
    names = dict.fromkeys(head.score_name for head in heads)
    whole.plots += [_quality_and_speed(reports, score_name) for score_name in names]
    for label, report in reports.items():
        whole.warnings += [f"{label}: {warning}" for warning in report.warnings]
        whole.failures += [f"{label}: {failure}" for failure in report.failures]
        whole.cases += [replace(case, name=f"{label}: {case.name}") for case in report.cases[:3]]
    return whole


def _rate(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


def _quality_and_speed(reports: Mapping[str, Report], score_name: str) -> Scatter:
    """The runs that are ranked by this score."""
    points = [
        Point(label, report.pages_per_second, report.headline.score)
        for label, report in reports.items()
        if report.headline is not None
        and report.headline.score_name == score_name
        and report.headline.score is not None
        and report.pages_per_second is not None
    ]
    return Scatter("Quality against speed", "samples/s", score_name, points)
