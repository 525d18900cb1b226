"""A document read page by page: what the Python API, the command line and the server have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley._version import __version__
from galley.document import Document, Failure, Page
from galley.draft_files import DraftFiles
from galley.errors import GalleyError, InputError, ModelError, OutputError, unexpected
from galley.ingest.page import PageImage
from galley.ingest.source import Source, SourceLike, open_source
from galley.parsing.options import ParseOptions

ImageSink = Callable[[str, NDArray[np.uint8]], str]
"""Takes a figure's name and its (height, width, 3) uint8 RGB image, keeps it, returns the path to write
down."""


class PageParser(Protocol):
    """A strategy: reads one page after the other."""

    def parse_page(self, page: PageImage) -> Page:
        """Read a page."""
        ...


ParserFactory = Callable[[ParseOptions, ImageSink | None], PageParser]

FATAL = (ModelError, OutputError)
"""What no other page would escape."""


def open_with(source: SourceLike, options: ParseOptions, name: str | None) -> Source:
    """Open ``source`` as the options say."""
    return open_source(
        source,
        pages=options.pages,
        dpi=options.dpi,
        max_pixels=options.max_pixels,
        password=options.secret,
        name=name,
    )


def new_document(source: Source) -> Document:
    """A document without pages for an open source."""
    return Document(
        source=source.name,
        page_count=source.page_count,
        metadata={"galley": __version__} | ({"file": source.metadata} if source.metadata else {}),
    )


def read_pages(
    source: Source, parser: PageParser, drafts: DraftFiles | None = None
) -> Iterator[Page | Failure]:
    """Each page asked for, parsed, or the failure that stands in its place.

    Args:
        source: The opened document.
        parser: Parses its pages.
        drafts: What files have for it.
    """
    for number in source.numbers:
        try:
            page = read_page(source, number, parser, drafts.of_page(number) if drafts else None)
        except FATAL:
            raise
        except Exception as error:  # no page may take the others down
            yield as_failure(error, number)
        else:
            yield page
    yield from source.missing


def read_page(source: Source, number: int, parser: PageParser, drafts: list[Page] | None = None) -> Page:
    """Read and parse one page; raises whatever goes wrong.

    Args:
        source: The opened document.
        number: The page's, from 1.
        parser: Parses it.
        drafts: What files have for it; None without files.
    """
    image = source.page(number)
    image.drafts = drafts
    page = parser.parse_page(image)
    page.warnings[:0] = image.warnings
    return page


def as_failure(error: Exception, number: int) -> Failure:
    """What went wrong with a page as one line that names the page."""
    if isinstance(error, InputError):
        return Failure(message=str(error), page=number)
    if isinstance(error, GalleyError):
        return Failure(message=f"page {number}: {error}", page=number)
    return Failure(message=f"page {number}: {unexpected(error)}", page=number)


def add_page(document: Document, page: Page | Failure) -> None:
    """Put a page or a failure where it belongs."""
    if isinstance(page, Failure):
        document.failures.append(page)
    else:
        document.pages.append(page)
        document.failures += part_failures(page)


def part_failures(page: Page) -> list[Failure]:
    """The parts of a page that were not read, as a document lists them."""
    return [Failure(message=f"page {page.number}: {text}", page=page.number) for text in page.failures]


def finish(document: Document, options: ParseOptions) -> Document:
    """What needs all pages: tables over page breaks, running headers and the like."""
    from galley.parsing.document_passes import finish_document

    return finish_document(document, options)
