"""Pages in the middle of the pipeline, for tests of single passes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from galley.document import Block
from galley.drafters.line import TextLine
from galley.layout.region import Region
from galley.parsing.blocks.build_blocks import zone_blocks
from galley.parsing.blocks.context import BlockContext
from galley.parsing.blocks.join_code_zones import joined_code
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import BodyText, PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.page_passes import PAGE_PASSES, PagePass, run_page_passes

NAMES = [each.__name__ for each in PAGE_PASSES]


def tools() -> PageTools:
    """Options as they come; no model is loaded before it is used."""
    return PageTools(ParseOptions())


def passes(first: str, last: str) -> Sequence[PagePass]:
    """The passes from one to another, by their names, both included."""
    return PAGE_PASSES[NAMES.index(first) : NAMES.index(last) + 1]


def blank(width: int, height: int) -> PageState:
    """A white page of so many pixels."""
    return PageState(1, np.full((height, width, 3), 255, np.uint8))


def zones_of(regions: Sequence[Region], lines: Sequence[TextLine], width: int, height: int) -> list[Zone]:
    """The zones of a page in reading order, before any is given another label."""
    page = blank(width, height)
    page.regions, page.lines = list(regions), list(lines)
    return run_page_passes(page, tools(), passes("recheck_regions", "order_zones")).zones


def blocks_of(zones: Sequence[Zone], body: float) -> list[Block]:
    """The blocks of zones on a page whose running text is ``body`` pixels high; tables and formulas are not read."""
    context = BlockContext(BodyText(body))
    return [block for zone in joined_code(zones) for block in zone_blocks(zone, context)]
