"""``galley.parse`` and ``galley.iter_pages``: a document from anywhere to typed data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from galley.document import Document, Failure, Page
from galley.errors import InputError
from galley.ingest.source import SourceLike
from galley.parsing.options import ParseOptions, make_options
from galley.reading import (
    ImageSink,
    PageParser,
    add_page,
    finish,
    make_parser,
    new_document,
    open_with,
    part_failures,
    read_pages,
)


def parse(
    source: SourceLike,
    *,
    options: ParseOptions | None = None,
    name: str | None = None,
    image_sink: ImageSink | None = None,
    parser: PageParser | None = None,
    **overrides: Any,
) -> Document:
    """Parse a document; pages that cannot be read are listed in ``failures`` and the others go on.

    source: a path, ``-`` for standard input, bytes, or a file opened for bytes. overrides: fields of
    ``ParseOptions``, as in ``galley.parse("a.pdf", pages="1-3", keep={"footnotes"})``. image_sink: keeps
    figures. parser: a parser to use again for many documents, so that its models are loaded once. Raises
    ``InputError`` when the source cannot be read at all, ``UsageError`` for options that make no sense.
    """
    chosen = resolve_options(options, overrides)
    with open_with(source, chosen, name) as opened:
        document = new_document(opened)
        for page in read_pages(opened, parser or make_parser(chosen, image_sink)):
            add_page(document, page)
    return finish(document, chosen)


def iter_pages(
    source: SourceLike,
    *,
    options: ParseOptions | None = None,
    on_failure: Callable[[Failure], None] | None = None,
    image_sink: ImageSink | None = None,
    parser: PageParser | None = None,
    **overrides: Any,
) -> Iterator[Page]:
    """Parse a document page by page, holding one page at a time; nothing is joined across pages.

    on_failure: called for each page that cannot be read, after which the others go on, and for parts of pages
    that cannot; without it the first page raises ``InputError``. The rest as for ``parse``.
    """
    chosen = resolve_options(options, overrides)
    with open_with(source, chosen, None) as opened:
        for page in read_pages(opened, parser or make_parser(chosen, image_sink)):
            if isinstance(page, Page):
                if on_failure is not None:
                    for failure in part_failures(page):
                        on_failure(failure)
                yield page
            elif on_failure is None:
                raise InputError(page.message)
            else:
                on_failure(page)


def resolve_options(options: ParseOptions | None, overrides: dict[str, Any]) -> ParseOptions:
    """``options`` with single fields replaced."""
    if options is None:
        return make_options(**overrides)
    return make_options(**(dict(options) | overrides)) if overrides else options
