"""Pass: the lines of each zone in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.document import Label
from galley.drafters.line import TextLine
from galley.layout.order import strips
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.regions.tabular import reads_across
from galley.parsing.zones.measure import box_around, line_height

VISUAL = (Label.FIGURE, Label.TABLE, Label.FORMULA)
"""Zones whose box is what matters, whether or not a line of text was read in them."""


def order_zone_lines(page: PageState, tools: PageTools) -> None:
    """Order the lines of each zone and fit its box to them; drop zones of text without lines.

    A table, figure or formula keeps its own box, grown to its lines.

    Reads: zones.
    Changes: zones.
    """
    page.zones = [_ordered(zone) for zone in page.zones if zone.lines or zone.label in VISUAL]


def _ordered(zone: Zone) -> Zone:
    if not zone.lines:
        return zone
    lines, rowwise = ordered_lines(zone.lines)
    tight = box_around(lines)
    bbox = zone.bbox.union(tight) if zone.label in VISUAL else tight
    return replace(zone, bbox=bbox, lines=lines, rowwise=rowwise)


def ordered_lines(lines: Sequence[TextLine]) -> tuple[list[TextLine], bool]:
    """Lines in reading order and whether they are cells of rows."""
    found = strips([line.bbox for line in lines], line_height(lines), reads_across(lines))
    return [lines[i] for strip in found for i in strip.indices], any(strip.rowwise for strip in found)
