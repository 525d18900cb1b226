"""Parsing many documents: pages to workers, results to documents, documents to writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from galley.api import make_parser
from galley.cli.inputs import Input
from galley.cli.progress import Progress
from galley.cli.report import Report
from galley.cli.writers import Writer
from galley.document import Document, Failure
from galley.document.store import PageStore
from galley.draft_files import DraftFiles, read_draft_files
from galley.errors import InputError, ModelError, OutputError
from galley.parsing.options import ParseOptions
from galley.reading import ParserFactory, new_document, open_with, part_failures
from galley.runtime import cores, set_threads
from galley.workers.batch_pool import BatchPool
from galley.workers.page_worker import PageResult, PageTask, PageWorker
from galley.workers.processes import ProcessBackend, worker_count

_MAX_PAGES_PER_TASK = 8
_TASKS_PER_WORKER = 4
_PAGES_PER_WORKER = 3
"""With fewer, starting the workers takes longer than they save."""


@dataclass
class _OpenDocument:
    """A document being read.

    It holds all but its pages, its pages so far, how many are to come, and by page what was done otherwise than asked.
    """

    document: Document
    left: int
    failed: bool = False
    pages: PageStore = field(default_factory=PageStore)
    notes: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Batch:
    """One run over ``inputs``.

    Attributes:
        jobs: Worker processes of one core each, 0 is one per core; 1 reads in this process, on one core. None:
            by the work there is. Few pages, and a model that each worker would have to load, are read in this
            process with all cores for each page; many pages by one worker per core, which wastes none of them.
        pool: Workers of another kind, instead.
    """

    inputs: Sequence[Input]
    options: ParseOptions
    writer: Writer
    report: Report
    progress: Progress
    jobs: int | None = None
    factory: ParserFactory = make_parser
    pool: BatchPool[Any] | None = None
    _open_documents: dict[int, _OpenDocument] = field(default_factory=dict)

    def run(self) -> None:
        """Parse everything; what fails goes to the report. Raises what no document would escape."""
        with ExitStack() as stack:
            for result in self._results(stack):
                self._take(result)

    def _results(self, stack: ExitStack) -> Iterator[PageResult]:
        if self.pool is not None:
            stack.enter_context(self.pool)
            yield from self.pool.run(self._tasks(self.pool.count))
            return
        tasks, workers = self._shared_out()
        if workers > 1:
            backend = ProcessBackend(partial(PageWorker, self.options, self.factory), workers)
            pool = stack.enter_context(BatchPool(backend))
            yield from pool.run(tasks)
            return
        if self.jobs is not None:
            set_threads(1)
        worker: PageWorker | None = None
        for task in tasks:
            if worker is None:
                worker = stack.enter_context(closing(PageWorker(self.options, self.factory)))
            yield from worker.read(task)

    def _shared_out(self) -> tuple[Iterator[PageTask], int]:
        """The tasks and how many workers are to read them."""
        if self.jobs is not None:
            workers = self.jobs or cores()
            return self._tasks(workers), workers
        workers = 1 if self.options.model else worker_count()
        tasks = self._tasks(workers)
        first: list[PageTask] = []
        while workers > 1 and sum(len(task.pages) for task in first) < _PAGES_PER_WORKER * workers:
            task = next(tasks, None)
            if task is None:
                return iter(first), 1
            first.append(task)
        return chain(first, tasks), workers

    def _tasks(self, workers: int) -> Iterator[PageTask]:
        """Open each document to learn its pages; they become tasks as workers come free."""
        for index, given in enumerate(self.inputs):
            if self.writer.finished(given):
                self.progress.document_done()
                continue
            try:
                given.fetch()
                with open_with(given.path, self.options, given.name) as source:
                    document, numbers, missing = new_document(source), source.numbers, source.missing
                    drafts = self._drafts(given, source.page_count)
            except InputError as error:
                self._fail(given, error)
                continue
            document.failures.extend(missing)
            self._open_documents[index] = _OpenDocument(document, len(numbers), failed=bool(missing))
            for failure in missing:
                self.report.failure(given.name, failure, InputError.exit_code)
            self.progress.document_opened(len(numbers))
            images, image_path = self.writer.image_places(given)
            for pages in _chunks(numbers, workers):
                own = None if drafts is None else {number: drafts.of_page(number) for number in pages}
                yield PageTask(index, given.path, given.name, pages, images, image_path, own)
            if not numbers:
                self._finish(index)

    def _drafts(self, given: Input, page_count: int) -> DraftFiles | None:
        if not given.drafts:
            return None
        return read_draft_files(given.drafts, self.options, given.name, page_count)

    def _fail(self, given: Input, error: InputError) -> None:
        failure = Failure(message=str(error))
        self.report.failure(given.name, failure, error.exit_code)
        given.release()
        self.writer.write_failed(given, Document(source=given.name, failures=[failure]))
        self.progress.document_done()

    def _take(self, result: PageResult) -> None:
        state = self._open_documents[result.document]
        if isinstance(result.page, Failure):
            self._note_failure(result.document, result.page, result.code, result.trace)
        else:
            if result.page.work is not None:
                self.report.worked(result.page.work)
            for failure in part_failures(result.page):
                self._note_failure(result.document, failure, ModelError.exit_code)
            state.notes += [(result.page.number, warning) for warning in result.page.warnings]
            with _spooling():
                state.pages.append(result.page)
        self.progress.page_done()
        state.left -= 1
        if state.left == 0:
            self._finish(result.document)

    def _note_failure(self, index: int, failure: Failure, code: int, trace: str = "") -> None:
        state = self._open_documents[index]
        state.failed = True
        state.document.failures.append(failure)
        self.report.failure(self.inputs[index].name, failure, code, trace)

    def _finish(self, index: int) -> None:
        from galley.parsing.document_passes import finish_pages  # brings numpy with it

        given, state = self.inputs[index], self._open_documents.pop(index)
        given.release()
        state.document.failures.sort(key=lambda failure: failure.page or 0)
        with _spooling():
            pages = finish_pages(state.pages, self.options, PageStore, given.name)
        for number, warning in sorted(state.notes, key=lambda note: note[0]):
            self.report.note(given.name, number, warning)
        self.writer.write(given, state.document, pages, complete=not state.failed)
        self.progress.document_done()


@contextmanager
def _spooling() -> Iterator[None]:
    """Turn what the system says about temporary files into an ``OutputError``."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"cannot write temporary files: {error.strerror or error}; TMPDIR names the folder for them"
        ) from error


def _chunks(numbers: Sequence[int], workers: int) -> Iterator[tuple[int, ...]]:
    """Runs of pages small enough that all workers get their share of a document."""
    if workers == 1:
        size = len(numbers)
    else:
        size = max(1, min(_MAX_PAGES_PER_TASK, len(numbers) // (workers * _TASKS_PER_WORKER)))
    for start in range(0, len(numbers), max(1, size)):
        yield tuple(numbers[start : start + size])
