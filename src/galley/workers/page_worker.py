"""Reading runs of pages: what one process does, alone or as one of several."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.api import make_parser
from galley.document import Failure, Page
from galley.errors import GalleyError
from galley.ingest.source import Source
from galley.parsing.options import ParseOptions
from galley.reading import FATAL, ParserFactory, as_failure, open_with, read_page
from galley.writing import writing

_JPEG_QUALITY = 90


@dataclass(frozen=True)
class PageTask:
    """A run of pages of one document, known by its index.

    Attributes:
        images: The folder its figures are written to.
        image_path: What the document calls that folder.
        drafts: What files have for each of its pages; None where no file was given.
    """

    document: int
    path: Path
    name: str
    pages: tuple[int, ...]
    images: Path = Path()
    image_path: str = ""
    drafts: Mapping[int, list[Page]] | None = None


@dataclass(frozen=True)
class PageResult:
    """What became of one page.

    Attributes:
        code: The exit code a failure earns.
        trace: Where it came from.
    """

    document: int
    page: Page | Failure
    code: int = 0
    trace: str = ""


class PageWorker:
    """Reads tasks; keeps its models, and the document it read last, between them."""

    def __init__(self, options: ParseOptions, factory: ParserFactory = make_parser) -> None:
        self._options = options
        self._parser = factory(options, self._keep_image if options.images else None)
        self._task: PageTask | None = None
        self._source: Source | None = None

    def read(self, task: PageTask) -> Iterator[PageResult]:
        """One result per page, in order.

        Raises:
            ModelError: The model is at fault, so that no page would fare better.
            OutputError: Figures cannot be written, so that no page would fare better.
        """
        if self._task is None or task.document != self._task.document:
            self.close()
        self._task = task
        for number in task.pages:
            try:
                yield PageResult(task.document, self._read_page(number))
            except FATAL:
                raise
            except Exception as error:
                code = error.exit_code if isinstance(error, GalleyError) else GalleyError.exit_code
                yield PageResult(task.document, as_failure(error, number), code, traceback.format_exc())

    def do(self, task: PageTask, send: Callable[[object], None]) -> None:
        """The same for a worker: each result goes to ``send``."""
        for result in self.read(task):
            send(result)

    def cancel(self, owner: str) -> None:
        """Nobody owns pages of a batch."""

    def close(self) -> None:
        """Close the document it read last."""
        if self._source:
            self._source.close()
        self._source = None

    def _read_page(self, number: int) -> Page:
        assert self._task is not None
        if self._source is None:
            self._source = open_with(self._task.path, self._options, self._task.name)
        drafts = self._task.drafts[number] if self._task.drafts is not None else None
        return read_page(self._source, number, self._parser, drafts)

    def _keep_image(self, name: str, image: NDArray[np.uint8]) -> str:
        assert self._task is not None
        path = self._task.images / f"{name}.jpg"
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(image).save(path, quality=_JPEG_QUALITY)
        return f"{self._task.image_path}/{path.name}"
