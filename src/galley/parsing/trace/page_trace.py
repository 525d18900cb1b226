"""The trace of one page through the page passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from galley.parsing.contract import file_of
from galley.parsing.page.state import PageState
from galley.parsing.trace.changes import Difference, Tracker
from galley.parsing.trace.draw import drawn, page_picture, subject
from galley.parsing.trace.files import page_folder, writing
from galley.parsing.trace.snapshot import snapshot
from galley.parsing.trace.trace_report import Step, write_report

GROUND = "page.png"
"""The page as it was in the end, on which traces of document passes are drawn."""


class PageTrace:
    """Writes, for one page, an image after each pass that changed something and one report of all passes.

    Args:
        root: The folder of all traces.
        page: The page before the first pass.

    Raises:
        OutputError: When files cannot be written.
    """

    def __init__(self, root: Path, page: PageState) -> None:
        self.folder = page_folder(root, page.document, page.number)
        for old in self.folder.glob("*-*.png"):  # pictures of an earlier run would be taken for this one's
            old.unlink(missing_ok=True)
        name = page.document or "document"
        self._title = f"{name}, page {page.number}: {page.width} × {page.height} pixels, {page.dpi:g} dpi"
        self._tracker = Tracker()
        self._tracker.take(snapshot(page))
        self._steps: list[Step] = []
        self._image, self._ground = page.image, page_picture(page.image)

    def after(self, page_pass: Callable[..., Any], page: PageState) -> None:
        """Take down what a pass has done."""
        found = self._tracker.take(snapshot(page))
        number, name = len(self._steps) + 1, page_pass.__name__
        image = f"{number:02}-{name}.png" if found.attributes else None
        if page.image is not self._image:
            self._image, self._ground = page.image, page_picture(page.image)
        self._steps.append(Step(number, name, file_of(page_pass), found, image))
        if image is not None:
            self._draw(image, page.width, found)

    def close(self) -> None:
        """Write the report of the passes that have run; after an error, of those before it."""
        with writing(self.folder):
            self._ground.save(self.folder / GROUND)
            write_report(self.folder, "passes", self._title, self._steps)

    def _draw(self, image: str, width: int, found: Difference) -> None:
        kind = subject(found.attributes, self._tracker.named)
        with writing(self.folder):
            drawn(self._ground, width, kind, self._tracker.named, found).save(self.folder / image)
