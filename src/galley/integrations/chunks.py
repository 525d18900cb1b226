"""Texts with metadata for loaders: one per page, per block or per document."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Literal, cast

from galley.api import AnySource, Parser
from galley.document import Block, Document, Page
from galley.errors import UsageError
from galley.parsing.options import ParseOptions
from galley.picture_source import is_picture

Mode = Literal["page", "block", "document"]
Chunk = tuple[str, dict[str, Any]]
"""Markdown and its metadata."""

MODES = ("page", "block", "document")
LAYOUT_KEYS = ("boxes", "box", "size", "confidence", "failures")
"""Metadata for programs, not for a model to read."""


def as_sources(given: AnySource | Iterable[AnySource]) -> list[AnySource]:
    """One source or several."""
    if isinstance(given, str | os.PathLike | bytes | bytearray | memoryview):
        return [given]
    if is_picture(given) or hasattr(given, "read"):
        return [cast(AnySource, given)]
    return list(given)


def read_chunks(sources: Iterable[AnySource], mode: Mode, options: dict[str, Any]) -> Iterator[Chunk]:
    """Markdown of each page, block or document, with metadata.

    Documents are read one after the other, each when the one before has been taken. Models are loaded once.
    Failures are also issued as Python warnings.

    The metadata of every chunk has ``source`` and ``total_pages``, and ``title`` and ``author`` where the
    file has them. A page has ``page``, ``size`` (width and height in pixels) and ``boxes`` (a label and
    ``[x0, y0, x1, y1]`` in pixels per block). A block has ``page``, ``size``, ``label``, ``box``, and
    ``confidence`` where it is known. ``failures`` says what was not read; a page that could not be read at
    all has no text and no boxes.

    Args:
        sources: the documents.
        mode: how text is cut: ``page``, ``block`` or ``document``.
        options: fields of ``ParseOptions``.

    Yields:
        Markdown and its metadata.

    Raises:
        UsageError: there is no such mode or option.
        GalleyError: a document cannot be read at all.
    """
    if mode not in MODES:
        raise UsageError(f"mode is {', '.join(MODES[:-1])} or {MODES[-1]}, not {mode!r}")
    parser = Parser(**options)
    for source in sources:
        document = parser.parse(source)
        for failure in document.failures:
            warnings.warn(f"{document.source}: {failure.message}", stacklevel=2)
        yield from _SPLIT[mode](document, parser.options)


def _documents(document: Document, options: ParseOptions) -> Iterator[Chunk]:
    failures = [failure.message for failure in document.failures]
    yield document.to_markdown(options.keep), _known(document) | ({"failures": failures} if failures else {})


def _pages(document: Document, options: ParseOptions) -> Iterator[Chunk]:
    pages = {page.number: page for page in document.pages}
    failures: dict[int, list[str]] = {}
    for failure in document.failures:
        failures.setdefault(failure.page or 0, []).append(failure.message)
    for number in sorted(pages.keys() | failures.keys()):
        known = _known(document) | ({"page": number} if number else {})
        if number in failures:
            known["failures"] = failures[number]
        page = pages.get(number)
        yield ("", known) if page is None else (_shown(document, page, options), known | _layout(page))


def _blocks(document: Document, options: ParseOptions) -> Iterator[Chunk]:
    known = _known(document)
    for page in document.pages:
        size = {"page": page.number, "size": [page.width, page.height]}
        for block in page.blocks:
            text = _shown(document, page.model_copy(update={"blocks": [block]}), options)
            if text:
                yield text, known | size | _block(block)
    if document.failures:
        yield "", known | {"failures": [failure.message for failure in document.failures]}


_SPLIT = {"page": _pages, "block": _blocks, "document": _documents}


def _shown(document: Document, page: Page, options: ParseOptions) -> str:
    return document.model_copy(update={"pages": [page]}).to_markdown(options.keep)


def _layout(page: Page) -> dict[str, Any]:
    boxes = [{"label": block.label.value, "box": _corners(block)} for block in page.blocks]
    return {"size": [page.width, page.height], "boxes": boxes}


def _block(block: Block) -> dict[str, Any]:
    known: dict[str, Any] = {"label": block.label.value, "box": _corners(block)}
    return known if block.confidence is None else known | {"confidence": block.confidence}


def _corners(block: Block) -> list[float]:
    box = block.bbox
    return [box.x0, box.y0, box.x1, box.y1]


def _known(document: Document) -> dict[str, Any]:
    own = document.metadata.get("file", {})
    named = {name.lower(): value for name, value in own.items() if name.lower() in ("title", "author")}
    return named | {"source": document.source, "total_pages": document.page_count}
