"""What reads in a worker process; its lanes share it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from galley.decoding import Committed
from galley.document import Page
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.reading import ImageSink, PageParser
from galley.serving.tasks import Counts, Delta, ReadRegion, RegionRead


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
        """Parse a page.

        Args:
            parser: One that was made here for these options.
            options: How to parse.
            image: The page.
            owner: Whose page it is.
        """
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
