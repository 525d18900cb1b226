"""Parsers that stand in where reading is not the point; as a program, ``galley`` with one of them."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import sys
import time

from galley.document import BBox, Block, Label, Page
from galley.errors import ModelError
from galley.ingest import PageImage
from galley.parsing.options import ParseOptions
from galley.reading import ImageSink
from galley.runtime import threads


class Words:
    """A page is its text layer's words, and a figure where images are asked for."""

    def __init__(self, options: ParseOptions, image_sink: ImageSink | None = None) -> None:
        self.sink = image_sink

    def parse_page(self, page: PageImage) -> Page:
        height, width = page.image.shape[:2]
        box = BBox(x0=0, y0=0, x1=width, y1=height)
        blocks = [Block(label=Label.TEXT, bbox=box, content=" ".join(word.text for word in page.text.words))]
        if self.sink:
            path = self.sink(f"page-{page.number}-figure-1", page.image[:20, :30])
            blocks.append(Block(label=Label.FIGURE, bbox=box, image=path))
        return Page(number=page.number, width=width, height=height, dpi=page.dpi, blocks=blocks)


class Slow(Words):
    def parse_page(self, page: PageImage) -> Page:
        time.sleep(0.3)
        return super().parse_page(page)


class FailsOnTwo(Words):
    def parse_page(self, page: PageImage) -> Page:
        if page.number == 2:
            raise ZeroDivisionError("two is\none too many")
        return super().parse_page(page)


class DiesOnTwo(Words):
    def parse_page(self, page: PageImage) -> Page:
        if page.number == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().parse_page(page)


class AlwaysDies(Words):
    def parse_page(self, page: PageImage) -> Page:
        os._exit(7)


class Where(Words):
    """A page says in which process it was read, and with how many threads."""

    def parse_page(self, page: PageImage) -> Page:
        read = super().parse_page(page)
        here = "parent" if multiprocessing.parent_process() is None else "worker"
        return read.model_copy(update={"warnings": [f"{here} {'one' if threads() == 1 else 'all'}"]})


class NoModel(Words):
    def parse_page(self, page: PageImage) -> Page:
        raise ModelError("the model is missing; install it")


class Broken(Words):
    def __init__(self, options: ParseOptions, image_sink: ImageSink | None = None) -> None:
        raise RuntimeError("cannot even start")


if __name__ == "__main__":
    import fakes  # by its name, so that spawned workers find the class

    import galley.cli.parse_run
    from galley.cli import main

    galley.cli.parse_run.run_parse = functools.partial(
        galley.cli.parse_run.run_parse, factory=getattr(fakes, sys.argv[1])
    )
    main(sys.argv[2:])
