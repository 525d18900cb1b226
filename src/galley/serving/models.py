"""What reads in a worker process; its lanes share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from galley.api import ImageSink, PageParser
from galley.decoding import Committed
from galley.document import Page
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.serving.settings import ParserFactory
from galley.serving.tasks import Counts, Delta, ReadRegion, RegionRead

if TYPE_CHECKING:
    from galley.parsing.draft import DraftParser


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
    """Reads without a vision-language model. factory: makes other parsers than ``DraftParser``."""

    def __init__(self, factory: ParserFactory | None = None) -> None:
        self._factory = factory

    @cached_property
    def draft(self) -> DraftParser:
        """The parser whose models all others share."""
        from galley.parsing.draft import DraftParser  # it brings the models' runtime with it

        return DraftParser(ParseOptions())

    def parser(self, options: ParseOptions, sink: ImageSink | None) -> PageParser:
        return self._factory(options, sink) if self._factory else self.draft.for_options(options, sink)

    def parse(self, parser: PageParser, options: ParseOptions, image: PageImage, owner: str) -> Parsed:
        return Parsed(parser.parse_page(image))

    def decode(self, ids: list[int]) -> str:
        raise NotImplementedError("draft readers have no tokens")

    def read_region(self, task: ReadRegion, send: Callable[[Delta], None]) -> RegionRead:
        from galley.serving.regions import read_drafted

        text = read_drafted(self.draft.for_options(task.options, None), task)
        send(Delta(text))
        return RegionRead(text, "stop", Counts())

    def cancel(self, owner: str) -> None:
        """A drafted page takes about a second: it is read to its end."""
