"""Every check on every page's outputs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from galley.errors import InputError
from galley.evaluation.olmocr.checks import Baseline, Check, make_check
from galley.evaluation.parallel import map_limited
from galley.evaluation.records import read_json_lines

BASELINE = "baseline"

Groups = dict[str, list[Check]]
"""Checks by the name of their test file."""


@dataclass(frozen=True)
class Result:
    """A check on the page's outputs: passed when more than half of the repeats pass, else with a reason."""

    group: str
    check: Check
    passed: bool
    reason: str


@dataclass
class Run:
    """The results of all checks.

    Attributes:
        results: One for each check.
        missing: Pages without an output; their checks fail.
        problems: Pages that could not be checked; their checks count as failed.
    """

    results: list[Result]
    missing: list[str]
    problems: list[str]


def load_checks(data: Path) -> Groups:
    """Read the checks of the ``*.jsonl`` files in a folder, or of one file.

    Every document without a baseline check gets one for its page 1.
    """
    files = [data] if data.is_file() else sorted(data.glob("*.jsonl"))
    groups = {file.name: _checks(file) for file in files}
    checks = [check for group in groups.values() for check in group]
    if not checks:
        raise InputError(f"{data} holds no tests; a benchmark folder has .jsonl files and pdfs/")
    _refuse_doubles(checks)
    pdfs = {check.pdf for check in checks} | (pdf_names(data / "pdfs") if data.is_dir() else set())
    based = {check.pdf for check in checks if check.type == BASELINE}
    added: list[Check] = [
        Baseline(id=f"{pdf}_baseline", pdf=pdf, page=1, type=BASELINE) for pdf in sorted(pdfs - based)
    ]
    return {**groups, BASELINE: added} if added else groups


def _checks(file: Path) -> list[Check]:
    checks = []
    for number, data in read_json_lines(file, dict[str, Any], "a test: a JSON object"):
        try:
            checks.append(make_check(data))
        except InputError as error:
            raise InputError(f"{file.name}, line {number}: {error}") from error
    return checks


def _refuse_doubles(checks: list[Check]) -> None:
    seen: set[str] = set()
    for check in checks:
        if check.id in seen:
            raise InputError(f"two tests have the id {check.id}")
        seen.add(check.id)


def pdf_names(pdfs: Path) -> set[str]:
    """Names of the documents, relative to the folder."""
    return {path.relative_to(pdfs).as_posix() for path in pdfs.rglob("*.pdf")}


def stem(pdf: str) -> str:
    """The name that a document's outputs begin with."""
    return str(PurePosixPath(pdf).with_suffix(""))


def outputs(folder: Path, pdf: str, page: int) -> list[Path]:
    """The page's outputs, one for each repeat."""
    base = folder / stem(pdf)
    name = re.compile(rf"{re.escape(base.name)}_pg{page}_repeat\d+\.md")
    return sorted(path for path in base.parent.glob("*.md") if name.fullmatch(path.name))


def run_checks(
    groups: Groups, folder: Path, *, workers: int, seconds: float, say: Callable[[str], None]
) -> Run:
    """Run all checks, page by page, in other processes.

    Args:
        groups: Checks by the page they belong to.
        folder: Where the outputs are.
        workers: Number of processes.
        seconds: The most one page may take.
        say: Takes lines of progress.
    """
    by_page: dict[tuple[str, int], list[tuple[str, Check]]] = defaultdict(list)
    for group, checks in groups.items():
        for check in checks:
            by_page[check.pdf, check.page].append((group, check))
    found = {page: outputs(folder, *page) for page in by_page}
    if not any(found.values()):
        raise InputError(f"no output in {folder}; outputs are <document>_pg<page>_repeat<number>.md")

    def progress(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            say(f"checked {done} of {total} pages")

    jobs = [([check for _, check in of], found[page]) for page, of in by_page.items()]
    outcomes = map_limited(_check_page, jobs, workers=workers, seconds=seconds, progress=progress)
    run = Run([], [f"{pdf} page {page}" for (pdf, page), files in found.items() if not files], [])
    for ((pdf, page), of), outcome in zip(by_page.items(), outcomes, strict=True):
        if outcome.problem:
            run.problems.append(f"{pdf} page {page}: its tests count as failed: {outcome.problem}")
        verdicts = outcome.value or [(False, outcome.problem or "")] * len(of)
        run.results += [
            Result(group, check, *said) for (group, check), said in zip(of, verdicts, strict=True)
        ]
    return run


def _check_page(job: tuple[list[Check], list[Path]]) -> list[tuple[bool, str]]:
    checks, files = job
    texts = [file.read_text(encoding="utf-8", errors="replace") for file in files]
    return [_verdict(check, texts) for check in checks]


def _verdict(check: Check, texts: list[str]) -> tuple[bool, str]:
    if not texts:
        return False, "no output"
    reasons = [reason for text in texts if (reason := check.failure(text)) is not None]
    return len(reasons) < len(texts) / 2, reasons[0] if reasons else ""
