"""Predictions for a benchmark: Galley over its images, resumable, in parallel."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from galley.document import Label
from galley.errors import UsageError
from galley.evaluation.atomic_files import write_atomically
from galley.evaluation.parallel import map_limited

if TYPE_CHECKING:
    from galley.document import Block, Document
    from galley.evaluation.crops import CropReader
    from galley.parsing.options import ParseOptions
    from galley.reading import PageParser

Say = Callable[[str], None]

_TIMES = "times.tsv"
"""Wall and CPU seconds of each page, processes at work, and whether models were loaded meanwhile."""
_TIME = re.compile(r"(\d+\.\d+)\t(\d+\.\d+)\t([1-9]\d*)\t(first)?")


@dataclass(frozen=True)
class Task:
    """One file to read.

    Attributes:
        source: The file.
        target: Where its Markdown goes.
        page: Number (from 1) of a page of a PDF; all pages when None.
        label: The file is a picture of one such block, not of a page.
        as_parsed: Write the Markdown of ``galley parse`` instead of what ``benchmark_markdown`` describes.
    """

    source: Path
    target: Path
    page: int | None = None
    label: Label | None = None
    as_parsed: bool = False


@dataclass(frozen=True)
class Predictor:
    """How predictions are made. ``ocr`` is ``always`` where a benchmark hands over images only."""

    options: ParseOptions
    jobs: int = 1
    seconds: float = 600.0

    def run(self, tasks: Sequence[Task], folder: Path, say: Say = lambda _: None) -> list[str]:
        """Make every target that is not there yet, each written whole.

        A failed source leaves no target, so that the next run tries it again and scoring counts it as missing.

        Args:
            tasks: What is to be predicted.
            folder: Holds all targets, at any depth, and notes on how they were made.
            say: Takes a line about progress.

        Returns:
            What failed: the source's name and why.

        Raises:
            UsageError: The folder holds predictions made with other options.
        """
        todo = [task for task in tasks if not task.target.is_file()]
        say(f"{len(tasks)} to predict, {len(tasks) - len(todo)} there already")
        if not todo:
            return []
        folder.mkdir(parents=True, exist_ok=True)
        _check_options(folder, self.options)

        def progress(done: int, total: int) -> None:
            if done % 20 == 0 or done == total:
                say(f"predicted {done} of {total}")

        jobs = [_Job(task, self.options.model_dump_json(), self.jobs, folder / _TIMES) for task in todo]
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


@dataclass(frozen=True)
class _Job:
    task: Task
    options: str
    jobs: int
    times: Path


def _predict(job: _Job) -> None:
    first = _readers.cache_info().currsize == 0
    readers = _readers(job.options, job.jobs)
    started, cpu_started = time.perf_counter(), time.process_time()
    text = readers.page(job.task) if job.task.label is None else readers.crop(job.task)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    write_atomically(job.task.target, text)
    with job.times.open("a", encoding="utf-8") as times:  # one short line at a time, from any process
        times.write(f"{seconds:.4f}\t{cpu_seconds:.4f}\t{job.jobs}\t{'first' if first else ''}\n")


@dataclass(frozen=True)
class Speed:
    """How fast predictions were made: pages per second of all jobs together, CPU seconds of a page."""

    pages_per_second: float
    cpu_seconds: float


def prediction_speed(folder: Path) -> Speed | None:
    """The speed predictions in the folder were made at; ``None`` where it is not known.

    The first page of each process, which waits for its models, is left out unless there is no other.
    """
    times = folder / _TIMES
    if not times.is_file():
        return None
    rows = [
        found.groups()
        for line in times.read_text(encoding="utf-8").splitlines()
        if (found := _TIME.fullmatch(line))
    ]
    later = [row for row in rows if not row[3]] or rows
    seconds = sum(float(row[0]) / int(row[2]) for row in later)
    return Speed(len(later) / seconds, fmean(float(row[1]) for row in later)) if seconds else None


def benchmark_markdown(document: Document) -> str:
    """The document as benchmarks of single elements expect it.

    Every table is HTML, formulas are in ``$$``, plain text is not escaped, figures and page furniture are left
    out.
    """
    from galley.document.select import DEFAULT_KEEP, shown

    blocks = (_block(item.block, item.content.strip("\n")) for item in shown(document.pages, DEFAULT_KEEP))
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


class _Readers:
    """One process's readers of pages and crops; models are loaded when first needed."""

    def __init__(self, options: ParseOptions) -> None:
        self._options = options

    @cached_property
    def _parser(self) -> PageParser:
        from galley.api import make_parser

        return make_parser(self._options)

    @cached_property
    def _crops(self) -> CropReader:
        from galley.evaluation.crops import CropReader

        return CropReader(self._options)

    def page(self, task: Task) -> str:
        from galley.api import parse

        pages = None if task.page is None else str(task.page)
        document = parse(task.source, options=self._options, parser=self._parser, pages=pages)
        if document.failures:
            raise RuntimeError(document.failures[0].message)
        return document.to_markdown() if task.as_parsed else benchmark_markdown(document)

    def crop(self, task: Task) -> str:
        assert task.label is not None
        return self._crops.read(task.source, task.label).content.strip() + "\n"


@lru_cache(maxsize=1)
def _readers(options: str, jobs: int) -> _Readers:
    from galley.parsing.options import ParseOptions
    from galley.runtime import cores, set_threads

    set_threads(max(1, cores() // jobs))
    return _Readers(ParseOptions.model_validate_json(options))
