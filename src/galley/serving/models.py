"""What reads in a worker process; its lanes share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from galley.decoding import Committed
from galley.document import Page
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.embedded import read_by_embedded
from galley.reading import ImageSink, PageParser, ParserFactory
from galley.serving.tasks import Counts, Delta, ReadRegion, RegionRead

if TYPE_CHECKING:
    from galley.parsing.draft import DraftParser
    from galley.serving.embedded import EmbeddedModel


@dataclass(frozen=True)
class Parsed:
    """A page, and how it came about: committed tokens by block, and what decoding took."""

    page: Page
    traces: Mapping[int, Sequence[Committed]] = field(default_factory=dict)
    counts: Counts = field(default_factory=Counts)


class Models(Protocol):
    """Makes parsers, parses with them, reads single regions. Safe to use from several lanes."""

    def parser(self, options: ParseOptions, sink: ImageSink | None) -> PageParser:
        """A parser for one lane."""
        ...

    def parse(self, parser: PageParser, options: ParseOptions, image: PageImage, owner: str) -> Parsed:
        """Parse a page with a parser made here for these options. owner: whose page it is."""
        ...

    def decode(self, ids: list[int]) -> str:
        """Text of token ids in traces."""
        ...

    def read_region(self, task: ReadRegion, send: Callable[[Delta], None]) -> RegionRead:
        """Read one image for a prompt."""
        ...

    def cancel(self, owner: str) -> None:
        """Stop reading for this owner as soon as may be."""
        ...


class DraftModels:
    """Reads without a model that has to be named: drafts, and the embedded model on top of them.

    factory: makes other parsers than these. model: what the server was given; the folder of a galley-nano is read
    with here instead of the one that ships with Galley.
    """

    def __init__(self, factory: ParserFactory | None = None, model: str | None = None) -> None:
        self._factory, self._model = factory, model

    @cached_property
    def draft(self) -> DraftParser:
        """The parser whose models all others share."""
        from galley.parsing.draft import DraftParser  # it brings the models' runtime with it

        return DraftParser(ParseOptions())

    @cached_property
    def embedded(self) -> EmbeddedModel:
        """The model that verifies what OCR has read, unless drafts are asked for."""
        from galley.serving.embedded import EmbeddedModel

        return EmbeddedModel(self._model)

    def parser(self, options: ParseOptions, sink: ImageSink | None) -> PageParser:
        if self._factory:
            return self._factory(options, sink)
        draft = self.draft.for_options(options, sink)
        return self.embedded.parser(options, draft) if read_by_embedded(options) else draft

    def parse(self, parser: PageParser, options: ParseOptions, image: PageImage, owner: str) -> Parsed:
        if self._factory or not read_by_embedded(options):
            return Parsed(parser.parse_page(image))
        return self.embedded.parse(parser, image)

    def decode(self, ids: list[int]) -> str:
        return self.embedded.target.decode(ids)

    def read_region(self, task: ReadRegion, send: Callable[[Delta], None]) -> RegionRead:
        from galley.serving.regions import read_drafted

        draft = self.draft.for_options(task.options, None)
        if read_by_embedded(task.options):
            read = self.embedded.read_region(draft, task)
        else:
            read = RegionRead(read_drafted(draft, task), "stop", Counts())
        send(Delta(read.text))
        return read

    def cancel(self, owner: str) -> None:
        """A page takes seconds here: it is read to its end."""
