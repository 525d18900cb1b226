"""``galley eval olmocr-bench``: pass rates per test file and their mean with a bootstrap interval."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean

import numpy as np

from galley.evaluation.olmocr.checks import Math
from galley.evaluation.olmocr.katex import draw, require_katex
from galley.evaluation.olmocr.verdicts import Groups, Result, Run, load_checks, outputs, run_checks, stem
from galley.evaluation.predict import Task
from galley.evaluation.report import Case, Headline, Report, Table
from galley.evaluation.settings import Settings

_RESAMPLES = 1000
_SHOWN_FAILURES = 200
_WORST = 12


def benchmark(settings: Settings) -> Report:
    """``settings.data``: a folder with ``*.jsonl`` tests and ``pdfs/``, or one test file of it."""
    groups = load_checks(settings.data)
    formulas = [check for group in groups.values() for check in group if isinstance(check, Math)]
    if formulas:
        require_katex()  # before the hours of prediction, not after
    pdfs = (settings.data if settings.data.is_dir() else settings.data.parent) / "pdfs"
    folder, failed = settings.predictions(lambda target: _tasks(groups, pdfs, target))
    run = run_checks(
        groups, folder, workers=settings.workers, seconds=settings.item_seconds, say=settings.say
    )
    undrawn = [f"{check.id}: KaTeX cannot draw {check.math!r}" for check in formulas if not draw(check.math)]
    lines = "".join(_line(result) for result in run.results)
    (settings.out / "results.jsonl").write_text(lines, encoding="utf-8")
    report = _report(run, folder)
    report.failures += [f"not predicted: {problem}" for problem in failed] + run.problems + undrawn
    if not failed:  # else the same pages are listed with the reason
        report.failures += [f"no output, its tests fail: {page}" for page in run.missing]
    report.cases += _worst(run.results, folder, pdfs)
    return report


def _tasks(groups: Groups, pdfs: Path, target: Path) -> list[Task]:
    pages = sorted({(check.pdf, check.page) for group in groups.values() for check in group})
    return [Task(pdfs / pdf, target / f"{stem(pdf)}_pg{page}_repeat1.md", page) for pdf, page in pages]


def mean_of_rates(results: Iterable[Result]) -> tuple[float, float, float]:
    """Mean of the pass rates of the test files, each file counting the same.

    Returns:
        The mean, 0 to 1, and the bounds of its 95 % bootstrap interval. Tests are drawn anew within each file.
    """
    groups = [np.array(passed, dtype=float) for passed in _passed(results, lambda r: r.group).values()]
    generator = np.random.default_rng(0)
    draws = [generator.choice(group, (_RESAMPLES, len(group))).mean(axis=1) for group in groups]
    low, high = np.percentile(np.mean(draws, axis=0), [2.5, 97.5])
    return fmean(float(group.mean()) for group in groups), float(low), float(high)


def _passed(results: Iterable[Result], key: Callable[[Result], str]) -> dict[str, list[bool]]:
    groups: dict[str, list[bool]] = defaultdict(list)
    for result in results:
        groups[key(result)].append(result.passed)
    return groups


def _report(run: Run, folder: Path) -> Report:
    score, low, high = mean_of_rates(run.results)
    report = Report(f"olmOCR-Bench: {folder.resolve().name}")
    report.intro.append(f"{len(run.results)} tests; the score is the mean of the test files' pass rates.")
    shown = [f"{100 * score:.1f}", f"{50 * (high - low):.1f}", f"{100 * low:.1f} – {100 * high:.1f}"]
    head = ["Score ↑", "±", "95 % interval"]
    report.tables.append(Table("Result", head, [shown]))
    report.headline = Headline(head, shown, head[0], 100 * score)
    keys: tuple[tuple[str, Callable[[Result], str]], ...] = (
        ("By test file", lambda result: result.group),
        ("By type", lambda result: result.check.type),
    )
    for title, key in keys:
        rows = [
            [name, len(of), sum(of), f"{100 * fmean(of):.1f}"]
            for name, of in sorted(_passed(run.results, key).items())
        ]
        report.tables.append(Table(title, ["name", "tests", "passed", "%"], rows))
    wrong = [[r.check.id, r.check.type, r.reason] for r in run.results if not r.passed]
    note = "All of them are in results.jsonl." if len(wrong) > _SHOWN_FAILURES else ""
    report.tables.append(Table("Tests not passed", ["id", "type", "why"], wrong[:_SHOWN_FAILURES], note))
    return report


def _worst(results: list[Result], folder: Path, pdfs: Path) -> list[Case]:
    """Pages by the number of tests they do not pass."""
    pages: dict[tuple[str, int], list[Result]] = defaultdict(list)
    for result in results:
        if not result.passed:
            pages[result.check.pdf, result.check.page].append(result)
    cases = []
    for (pdf, page), failed in sorted(pages.items(), key=lambda item: -len(item[1]))[:_WORST]:
        reasons = "\n".join(f"{result.check.type}: {result.reason}" for result in failed)
        files = outputs(folder, pdf, page)
        text = files[0].read_text(encoding="utf-8", errors="replace") if files else ""
        title, score = f"{pdf} page {page}", f"{len(failed)} not passed"
        cases.append(Case(title, score, reasons, text, pdfs / pdf, page, "tests not passed"))
    return cases


def _line(result: Result) -> str:
    record = {"id": result.check.id, "group": result.group, "type": result.check.type}
    return json.dumps({**record, "passed": result.passed, "reason": result.reason}, ensure_ascii=False) + "\n"
