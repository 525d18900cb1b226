"""A parser that does what a page tells it to do. A module of its own: worker processes import it."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from galley.document import BBox, Block, Label, Page
from galley.ingest.page import PageImage


class ScriptedParser:
    """A page is its text. Pages that say so wait for a file, sleep, fail, or take the process down."""

    def __init__(self, options: object, image_sink: Any, gate: Path) -> None:
        self._gate = gate
        self._sink = image_sink

    def parse_page(self, page: PageImage) -> Page:
        words = [word.text for word in page.text.words]
        order = words[0] if words else ""
        if order == "wait":
            while not self._gate.exists():
                time.sleep(0.01)
        elif order == "sleep":
            time.sleep(float(words[1]))
        elif order == "fail":
            raise ZeroDivisionError("as it was told")
        elif order == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        height, width = page.image.shape[:2]
        box = BBox(x0=0, y0=0, x1=width, y1=height)
        blocks = [Block(label=Label.TEXT, bbox=box, content=" ".join(words))]
        if self._sink:
            name = self._sink(f"page-{page.number}-figure-1", page.image[:20, :30])
            blocks.append(Block(label=Label.FIGURE, bbox=box, image=name))
        return Page(number=page.number, width=width, height=height, dpi=page.dpi, blocks=blocks)
