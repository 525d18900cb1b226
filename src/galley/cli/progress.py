"""A progress bar on standard error, or nothing."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.progress import Task as BarTask
from rich.text import Text


class _PagesPerSecond(ProgressColumn):
    def render(self, task: BarTask) -> Text:
        pages, seconds = task.fields["pages"], task.elapsed or 0.0
        return Text(f"{pages / seconds:.1f} pages/s" if pages and seconds else "")


class Progress:
    """Counts pages of one document, or documents of several; shown on a terminal unless ``quiet``."""

    def __init__(self, documents: int, quiet: bool) -> None:
        self._by_page = documents == 1
        self._pages = 0
        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            _PagesPerSecond(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            disable=quiet or not sys.stderr.isatty(),
            transient=True,
        )
        unit = "pages" if self._by_page else "documents"
        self._task = self._bar.add_task(unit, total=None if self._by_page else documents, pages=0)

    def document_opened(self, pages: int) -> None:
        """Take note of how many pages a document has."""
        if self._by_page:
            self._bar.update(self._task, total=pages)

    def page_done(self) -> None:
        """Count a page."""
        self._pages += 1
        self._bar.update(self._task, pages=self._pages, advance=1 if self._by_page else 0)

    def document_done(self) -> None:
        """Count a document."""
        if not self._by_page:
            self._bar.advance(self._task)

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()
