"""Pass: the zones in reading order."""

from __future__ import annotations

from galley.document import Label
from galley.layout.order import reading_order
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import line_height

GUTTER = 0.4
"""In usual heights of the page's lines: least white space between columns."""


def order_zones(page: PageState, tools: PageTools) -> None:
    """Put the zones in reading order; text set along the page's side comes last.

    Reads: zones.
    Changes: zones.
    """
    main = [zone for zone in page.zones if zone.label is not Label.ASIDE]
    aside = [zone for zone in page.zones if zone.label is Label.ASIDE]
    height = line_height([line for zone in page.zones for line in zone.lines])
    order = reading_order([zone.bbox for zone in main], GUTTER * height)
    page.zones = [main[i] for i in order] + aside
