"""What a strategy gives back: a page, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from galley.decoding import Committed, Result
from galley.document import Block, Page
from galley.ingest.page import PageImage
from galley.targets.prompt import Runner

Traces = Mapping[int, Sequence[Committed]]
"""The tokens committed for blocks, by the block's place on its page."""


@dataclass(frozen=True)
class PageReading:
    """A page as a strategy read it.

    Attributes:
        page: with its blocks in reading order.
        traces: of the blocks that the verifying model stands for.
        results: of all that was decoded for the page, with the statistics of each.
    """

    page: Page
    traces: Traces = field(default_factory=dict)
    results: Sequence[Result] = ()


class Strategy(Protocol):
    """Reads pages with a verifying model."""

    def read_page(self, page: PageImage, runner: Runner | None = None) -> PageReading:
        """Read a page. runner: decodes in place of the strategy's own decoder."""
        ...

    def parse_page(self, page: PageImage) -> Page:
        """The page alone."""
        ...


def traces_by_place(page: Page, traced: Sequence[tuple[Block, Sequence[Committed]]]) -> Traces:
    """Traces of blocks by where these, the same objects, stand on the page."""
    places = {id(block): place for place, block in enumerate(page.blocks)}
    return {places[id(block)]: trace for block, trace in traced}
