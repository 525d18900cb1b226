"""What a worker process does with its tasks. One reader per lane; lanes share their models."""

from __future__ import annotations

import json
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.document import Document, Page
from galley.document.exporters import EXPORTERS
from galley.document.json import from_json, to_json
from galley.document.store import PageStore
from galley.ingest.source import Source
from galley.parsing.document_passes import finish_pages
from galley.parsing.options import ParseOptions
from galley.reading import PageParser, new_document, open_with
from galley.serving.folder import JobFolder
from galley.serving.models import Models
from galley.serving.proof import proof_json
from galley.serving.tasks import (
    Answer,
    Delta,
    FinishDocument,
    Finished,
    OpenDocument,
    Opened,
    PageRead,
    ReadPage,
    Task,
)

_SHOWN_SIDE = 1600
"""The longer side of a page image for showing, in pixels, at most."""
_QUALITY = 85
_FIGURE_QUALITY = 90
_PARSERS = 8


class TaskReader:
    """Carries out tasks, one after the other; keeps the parsers and the document it used last."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._parsers: OrderedDict[str, PageParser] = OrderedDict()
        self._folder = JobFolder(Path())
        self._source: tuple[Path, str, Source] | None = None

    def do(self, task: Task, send: Callable[[Delta], None]) -> Answer:
        """Carry out a task; raises whatever goes wrong.

        Args:
            task: What to do.
            send: Takes text while a region is read.
        """
        if isinstance(task, OpenDocument):
            return _open(task)
        if isinstance(task, ReadPage):
            return self._read_page(task)
        if isinstance(task, FinishDocument):
            return _finish(task)
        return self._models.read_region(task, send)

    def _read_page(self, task: ReadPage) -> PageRead:
        start = time.perf_counter()
        self._folder = folder = JobFolder(task.folder)
        image = self._opened(task).page(task.number)
        parsed = self._models.parse(self._parser(task.options), task.options, image, task.owner)
        page = parsed.page
        page.warnings[:0] = image.warnings
        _save_shown(image.image, page, folder.page_image(task.number))
        proof = proof_json(page, parsed.traces, parsed.counts, self._models.decode)
        folder.write(folder.proof(task.number), json.dumps(proof))
        # Last, since a page that is there is done.
        folder.write(folder.page(task.number), page.model_dump_json(exclude_none=True))
        return PageRead(task.number, time.perf_counter() - start, parsed.counts, page.failures)

    def _opened(self, task: ReadPage) -> Source:
        """The document, which stays open while its pages are asked for one after the other."""
        if self._source and self._source[:2] == (task.path, task.options.fingerprint()):
            return self._source[2]
        if self._source:
            self._source[2].close()
            self._source = None
        source = open_with(task.path, task.options, task.name)
        self._source = (task.path, task.options.fingerprint(), source)
        return source

    def _parser(self, options: ParseOptions) -> PageParser:
        same = options.model_copy(update={"pages": None, "password": None}).fingerprint()
        if same not in self._parsers:
            self._parsers[same] = self._models.parser(options, self._keep_figure if options.images else None)
            if len(self._parsers) > _PARSERS:
                self._parsers.popitem(last=False)
        self._parsers.move_to_end(same)
        return self._parsers[same]

    def _keep_figure(self, name: str, image: NDArray[np.uint8]) -> str:
        path = self._folder.images / f"{name}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.fromarray(image).save(path, quality=_FIGURE_QUALITY)
        return f"images/{path.name}"


def _open(task: OpenDocument) -> Opened:
    with open_with(task.path, task.options, task.name) as source:
        missing = [failure.message for failure in source.missing]
        return Opened(source.numbers, missing, to_json(new_document(source), indent=None))


def _finish(task: FinishDocument) -> Finished:
    folder = JobFolder(task.folder)
    document = from_json(task.head)
    numbers = sorted(int(path.stem.removeprefix("page-")) for path in task.folder.glob("page-*[0-9].json"))
    read = (Page.model_validate_json(folder.page(number).read_bytes()) for number in numbers)
    pages = finish_pages(read, task.options, PageStore)
    document.failures.sort(key=lambda failure: failure.page or 0)
    for exporter in EXPORTERS.values():
        if not exporter.whole:  # the others are made when somebody asks for them
            folder.write(folder.result(exporter), exporter.texts(document, pages, task.options.keep)[0])
    return Finished()


def page_markdown(page: bytes, options: ParseOptions) -> str:
    """One page's JSON as Markdown."""
    return Document(pages=[Page.model_validate_json(page)]).to_markdown(options.keep)


def _save_shown(image: NDArray[np.uint8], page: Page, path: Path) -> None:
    """The page image turned upright as it was read, scaled down, as JPEG."""
    picture = Image.fromarray(_upright(image, page) if page.rotation or page.skew else image)
    picture.thumbnail((_SHOWN_SIDE, _SHOWN_SIDE), reducing_gap=2.0)
    draft = path.with_name(f".{path.name}")
    picture.save(draft, "JPEG", quality=_QUALITY)
    draft.replace(path)


def _upright(image: NDArray[np.uint8], page: Page) -> NDArray[np.uint8]:
    from galley.layout.orientation import turned  # these bring scipy with them
    from galley.layout.skew import deskew

    upright = turned(image, page.rotation) if page.rotation else image
    return deskew(upright, page.skew) if page.skew else upright
