"""The trace of a document's pages through the document passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from PIL import Image

from galley.document import Page
from galley.parsing.contract import file_of
from galley.parsing.document.state import DocumentState
from galley.parsing.options import ParseOptions
from galley.parsing.trace.changes import Difference, Tracker
from galley.parsing.trace.draw import drawn
from galley.parsing.trace.files import document_folder, page_folder, writing
from galley.parsing.trace.page_trace import GROUND
from galley.parsing.trace.snapshot import BLOCKS, page_snapshot
from galley.parsing.trace.trace_report import Step, write_report


class DocumentTrace:
    """Writes what document passes change: for each page images and a report, and one report of all pages.

    A traced document goes through one pass after the other as a whole.

    Raises:
        OutputError: When files cannot be written.
    """

    def __init__(self, root: Path, name: str) -> None:
        self._root, self._name = root, name
        self._pages: dict[int, Tracker] = {}
        self._steps: dict[int, list[Step]] = {}
        self._summary: list[str] = []
        self._number = 0
        self._measures = _measures(DocumentState(ParseOptions(), list))

    def start(self, pages: Iterable[Page], document: DocumentState) -> Iterable[Page]:
        """The pages, when they have been taken down as they are before the first pass."""
        stored = document.store(pages)
        for page in stored:
            self._pages[page.number] = Tracker()
            self._pages[page.number].take(page_snapshot(page))
            self._steps[page.number] = []
        return stored

    def after(
        self, document_pass: Callable[..., Any], pages: Iterable[Page], document: DocumentState
    ) -> Iterable[Page]:
        """The pages that come out of a pass, when what it has done to them has been taken down."""
        stored = document.store(pages)
        self._number += 1
        details: list[str] = []
        touched = 0
        for page in stored:
            found = self._pages[page.number].take(page_snapshot(page))
            image = self._drawn(document_pass.__name__, page, found) if found.attributes else None
            step = Step(self._number, document_pass.__name__, file_of(document_pass), found, image)
            self._steps[page.number].append(step)
            if found.attributes:
                touched += 1
                details += [f"     page {page.number}: {line}" for line in [step.summary, *step.details]]
        changed = f"{touched} of {len(self._pages)} pages changed"
        measures = _measures(document)
        if measures != self._measures:
            details.insert(0, f"     document: {self._measures} → {measures}")
            self._measures = measures
        self._summary += [f"{self._number} {document_pass.__name__}  {changed}", *details]
        return stored

    def close(self) -> None:
        """Write the reports of the passes that have run."""
        for number, steps in self._steps.items():
            folder = page_folder(self._root, self._name, number)
            with writing(folder):
                title = f"{self._name or 'document'}, page {number}: document passes"
                write_report(folder, "document-passes", title, steps)
        folder = document_folder(self._root, self._name)
        with writing(folder):
            lines = [f"{self._name or 'document'}: document passes", "", *self._summary]
            (folder / "document-passes.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _drawn(self, name: str, page: Page, found: Difference) -> str | None:
        """The file name of a drawing; None where the page itself has not been traced."""
        folder = page_folder(self._root, self._name, page.number)
        image = f"document-{self._number:02}-{name}.png"
        with writing(folder):
            if not (folder / GROUND).is_file():
                return None
            with Image.open(folder / GROUND) as picture:
                named = self._pages[page.number].named
                drawn(picture, page.width, BLOCKS, named, found).save(folder / image)
        return image


def _measures(document: DocumentState) -> str:
    sizes = document.sizes
    return f"{len(sizes.headings)} headings and {len(sizes.body)} texts measured, {len(document.words.own)} words"
