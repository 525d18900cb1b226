"""The Python interface: ``galley.parse``, ``galley.iter_pages`` and ``galley.Parser``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from galley.document import Document, Failure, Page
from galley.draft_files import DraftFiles, DraftSource, read_draft_files
from galley.errors import InputError
from galley.ingest.source import Source, SourceLike
from galley.option_keywords import OptionKeywords, with_option_keywords
from galley.parsing.options import ParseOptions, make_options
from galley.picture_source import Picture, is_picture, picture_bytes
from galley.reading import (
    ImageSink,
    PageParser,
    add_page,
    finish,
    new_document,
    open_with,
    part_failures,
    read_pages,
)

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from galley.loaded_models import LoadedModels

AnySource: TypeAlias = SourceLike | Picture
"""A path, a URL such as ``s3://…``, ``-`` for standard input, a file's bytes, a file opened for reading bytes, a PIL
image, or a numpy array of uint8: (height, width) in grey, (height, width, 3) in RGB, (height, width, 4) in RGBA."""

PagesAsked: TypeAlias = str | int | Iterable[int] | None
OnFailure = Callable[[Failure], None]


@with_option_keywords
def parse(
    source: AnySource,
    *,
    options: ParseOptions | None = None,
    name: str | None = None,
    image_sink: ImageSink | None = None,
    parser: PageParser | None = None,
    draft_from: DraftSource | None = None,
    **overrides: Unpack[OptionKeywords],
) -> Document:
    """Parse a document; pages that cannot be read are listed in ``failures`` and the others go on.

    Models stay loaded for the next call in the same thread.

    Args:
        source: a path, a URL, ``-`` for standard input, bytes, a file opened for bytes, a PIL image or a numpy array.
        options: settings made before.
        name: what the document is called; else its file's name.
        image_sink: keeps figures.
        parser: reads pages in place of the strategy that the options name.
        draft_from: files in which other tools have written down what they read: hOCR, ALTO, JSON of PP-StructureV3 or
            Galley's, Markdown. A model takes them for drafts; with ``strategy="draft"`` they are the document.
        overrides: fields of ``ParseOptions``, as in ``galley.parse("a.pdf", pages="1-3", keep={"headers"})``.

    Raises:
        InputError: when the source cannot be read at all.
        UsageError: for options that make no sense.
        ModelError: for a model that cannot be used.
    """
    chosen = resolve_options(options, overrides)
    with _opened(source, chosen, name) as opened:
        drafts = _drafts(draft_from, opened, chosen)
        return _parsed(opened, chosen, parser or _shared_models().parser(chosen, image_sink), drafts)


@with_option_keywords
def iter_pages(
    source: AnySource,
    *,
    options: ParseOptions | None = None,
    on_failure: OnFailure | None = None,
    image_sink: ImageSink | None = None,
    parser: PageParser | None = None,
    draft_from: DraftSource | None = None,
    **overrides: Unpack[OptionKeywords],
) -> Iterator[Page]:
    """Parse a document page by page, holding one page at a time; nothing is joined across pages.

    Args:
        source: as for ``parse``, as is what is not named here.
        options: settings made before.
        on_failure: called for each page that cannot be read, after which the others go on, and for parts of pages
            that cannot; without it the first page that cannot be read raises ``InputError``.
        image_sink: keeps figures.
        parser: reads pages in place of the strategy that the options name.
        draft_from: as for ``parse``.
        overrides: fields of ``ParseOptions``.
    """
    chosen = resolve_options(options, overrides)
    with _opened(source, chosen, None) as opened:
        drafts = _drafts(draft_from, opened, chosen)
        yield from _pages(opened, parser or _shared_models().parser(chosen, image_sink), on_failure, drafts)


class Parser:
    """Reads many documents with the same options and models of its own, which go when it goes.

        parser = galley.Parser(model="trillionlabs/GravityOCR", dpi=150)
        documents = [parser.parse(path) for path in paths]

    Models are loaded at the first document that needs them. For one thread at a time.
    """

    @with_option_keywords
    def __init__(
        self,
        *,
        options: ParseOptions | None = None,
        image_sink: ImageSink | None = None,
        **overrides: Unpack[OptionKeywords],
    ) -> None:
        """Args: as for ``parse``. Raises ``UsageError`` for options that make no sense."""
        self.options = resolve_options(options, overrides)
        self._image_sink = image_sink
        self._page_parser: PageParser | None = None

    def parse(
        self,
        source: AnySource,
        *,
        pages: PagesAsked = None,
        name: str | None = None,
        draft_from: DraftSource | None = None,
    ) -> Document:
        """Parse a document as ``galley.parse`` does.

        Args:
            source: What to read.
            pages: Which pages of it; as the options say when None.
            name: The document's name; that of the file when None.
            draft_from: Files in which another tool wrote what it read.
        """
        chosen = self._for_pages(pages)
        with _opened(source, chosen, name) as opened:
            return _parsed(opened, chosen, self._parser(), _drafts(draft_from, opened, chosen))

    def iter_pages(
        self,
        source: AnySource,
        *,
        pages: PagesAsked = None,
        on_failure: OnFailure | None = None,
        draft_from: DraftSource | None = None,
    ) -> Iterator[Page]:
        """Parse a document page by page as ``galley.iter_pages`` does.

        Args:
            source: What to read.
            pages: Which pages of it; as the options say when None.
            on_failure: Takes what could not be read.
            draft_from: Files in which another tool wrote what it read.
        """
        with _opened(source, self._for_pages(pages), None) as opened:
            drafts = _drafts(draft_from, opened, self.options)
            yield from _pages(opened, self._parser(), on_failure, drafts)

    def _for_pages(self, pages: PagesAsked) -> ParseOptions:
        return self.options if pages is None else resolve_options(self.options, {"pages": pages})

    def _parser(self) -> PageParser:
        if self._page_parser is None:
            self._page_parser = make_parser(self.options, self._image_sink)
        return self._page_parser


def make_parser(options: ParseOptions, image_sink: ImageSink | None = None) -> PageParser:
    """A parser of pages with models of its own.

    Raises:
        UsageError: The options contradict each other.
        ModelError: A model cannot be loaded.
    """
    from galley.loaded_models import LoadedModels  # brings the models' runtime with it

    return LoadedModels().parser(options, image_sink)


def resolve_options(
    options: ParseOptions | None, overrides: OptionKeywords | dict[str, object]
) -> ParseOptions:
    """``options`` with single fields replaced.

    Raises:
        UsageError: There is no such option, or its value makes no sense.
    """
    if options is None:
        return make_options(**overrides)
    return make_options(**(dict(options) | overrides)) if overrides else options


_THREAD = threading.local()
"""Verifying models are for one thread at a time, so each thread has its own."""


def _shared_models() -> LoadedModels:
    """The models that calls of this thread share."""
    from galley.loaded_models import ModelCache  # brings the models' runtime with it

    cache: ModelCache | None = getattr(_THREAD, "cache", None)
    if cache is None:
        cache = _THREAD.cache = ModelCache()
    return cache.models()


def _opened(source: AnySource, options: ParseOptions, name: str | None) -> Source:
    if is_picture(source):
        return open_with(picture_bytes(source), options, name or "image")
    return open_with(source, options, name)


def _drafts(given: DraftSource | None, source: Source, options: ParseOptions) -> DraftFiles | None:
    if given is None:
        return None
    return read_draft_files(given, options, source.name, source.page_count)


def _parsed(source: Source, options: ParseOptions, parser: PageParser, drafts: DraftFiles | None) -> Document:
    document = new_document(source)
    for page in read_pages(source, parser, drafts):
        add_page(document, page)
    return finish(document, options)


def _pages(
    source: Source, parser: PageParser, on_failure: OnFailure | None, drafts: DraftFiles | None
) -> Iterator[Page]:
    for page in read_pages(source, parser, drafts):
        if isinstance(page, Page):
            if on_failure is not None:
                for failure in part_failures(page):
                    on_failure(failure)
            yield page
        elif on_failure is None:
            raise InputError(page.message)
        else:
            on_failure(page)
