"""What a strategy gives back: a page, and how it came about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Protocol

from galley.decoding import Committed, Result
from galley.document import Block, Page
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.strategies.file_drafts import FileDrafts
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
        """Parse a page, with traces and results.

        Args:
            page: Its image and what the file says of it.
            runner: Decodes in place of the strategy's own decoder.
        """
        ...

    def parse_page(self, page: PageImage) -> Page:
        """The page alone."""
        ...


Verify = Callable[[PageState, FileDrafts, Runner], PageReading]
"""A strategy's pass: reads a drafted page with a model. Changes nothing of the state itself."""


def read_with_model(draft: DraftParser, page: PageImage, verify: Verify, runner: Runner) -> PageReading:
    """A page after the passes that draft it and a last one in which a model verifies it.

    Args:
        draft: runs the passes.
        page: the page.
        verify: the last pass.
        runner: decodes.
    """
    readings: list[PageReading] = []

    @wraps(verify)
    def page_pass(state: PageState, tools: PageTools) -> None:
        reading = verify(state, FileDrafts(page, state.rotation), runner)
        readings.append(reading)
        state.take(reading.page)

    state = draft.run(page, (page_pass,))
    return replace(readings[0], page=state.as_page())


def traces_by_place(page: Page, traced: Sequence[tuple[Block, Sequence[Committed]]]) -> Traces:
    """Traces of blocks by where these, the same objects, stand on the page."""
    places = {id(block): place for place, block in enumerate(page.blocks)}
    return {places[id(block)]: trace for block, trace in traced}
