"""Predictions for a benchmark: Galley over its images, resumable, in parallel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from galley.errors import UsageError
from galley.evaluation.parallel import map_limited
from galley.evaluation.whole import write_whole

if TYPE_CHECKING:
    from galley.api import PageParser
    from galley.document import Block, Document
    from galley.parsing.options import ParseOptions

Say = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """One file to read and where its Markdown goes; ``page`` (1-based) picks a page of a PDF."""

    source: Path
    target: Path
    page: int | None = None


@dataclass(frozen=True)
class Predictor:
    """How predictions are made. ``ocr`` is ``always`` where a benchmark hands over images only."""

    options: ParseOptions
    jobs: int = 1
    seconds: float = 600.0

    def run(self, tasks: Sequence[Task], say: Say = lambda _: None) -> list[str]:
        """Makes every target that is not there yet; returns what failed, by name. A target is written whole.

        A failed source leaves no target, so that the next run tries it again and scoring counts it as
        missing.
        """
        todo = [task for task in tasks if not task.target.is_file()]
        say(f"{len(tasks)} to predict, {len(tasks) - len(todo)} there already")
        if not todo:
            return []
        todo[0].target.parent.mkdir(parents=True, exist_ok=True)
        _check_options(todo[0].target.parent, self.options)

        def progress(done: int, total: int) -> None:
            if done % 20 == 0 or done == total:
                say(f"predicted {done} of {total}")

        jobs = [(task, self.options.model_dump_json(), self.jobs) for task in todo]
        outcomes = map_limited(_predict, jobs, workers=self.jobs, seconds=self.seconds, progress=progress)
        return [
            f"{task.source.name}: {outcome.problem}"
            for task, outcome in zip(todo, outcomes, strict=True)
            if outcome.problem
        ]


def _check_options(folder: Path, options: ParseOptions) -> None:
    """A folder holds predictions of one set of options only."""
    mark = folder / "options.txt"
    said = f"{options.fingerprint()}\n"
    if mark.is_file() and mark.read_text(encoding="utf-8") != said:
        raise UsageError(
            f"{folder} holds predictions made with other options; give another --out or delete it"
        )
    mark.write_text(said, encoding="utf-8")


def _predict(job: tuple[Task, str, int]) -> None:
    from galley.api import parse

    task, options, jobs = job
    chosen, parser = _parser(options, jobs)
    pages = None if task.page is None else str(task.page)
    document = parse(task.source, options=chosen, parser=parser, pages=pages)
    if document.failures:
        raise RuntimeError(document.failures[0].message)
    write_whole(task.target, benchmark_markdown(document))


def benchmark_markdown(document: Document) -> str:
    """The document as benchmarks expect it: every table as HTML, formulas in ``$$``, plain text unescaped,
    figures and page furniture left out."""
    from galley.document.select import DEFAULT_KEEP, shown

    blocks = (_block(item.block, item.content.strip("\n")) for item in shown(document, DEFAULT_KEEP))
    return "\n\n".join(block for block in blocks if block.strip()) + "\n"


def _block(block: Block, content: str) -> str:
    from galley.document.model import Label
    from galley.document.table_html import table_html

    if block.table is not None:
        return table_html(block.table)
    if block.label is Label.FIGURE:
        return ""
    if block.label in (Label.TITLE, Label.HEADING) and content:
        return f"{'#' * (block.level or 1)} {content}"
    if block.label is Label.FORMULA and content and "unverified" not in block.flags:
        return f"$$\n{content}\n$$"
    return content


@lru_cache(maxsize=1)
def _parser(options: str, jobs: int) -> tuple[ParseOptions, PageParser]:
    from galley.api import make_parser
    from galley.evaluation.parallel import default_workers
    from galley.parsing.options import ParseOptions
    from galley.runtime import set_threads

    set_threads(max(1, default_workers() // jobs))
    chosen = ParseOptions.model_validate_json(options)
    return chosen, make_parser(chosen)
