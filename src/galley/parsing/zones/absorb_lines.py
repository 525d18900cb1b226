"""Pass: lines that a region's box missed by a little."""

from __future__ import annotations

from dataclasses import replace

from galley.drafters.line import TextLine
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.assign_lines import PLAIN
from galley.parsing.zones.measure import box_around, is_vertical, line_height

SAME_SIZE = (0.75, 1.33)
"""Ratios of a line's height to those of the zone's lines between which it is of their type size."""
SIDE_REACH = 1.5
"""In heights of the line: how far it may stick out of the zone at either side."""
REACH = 0.6
"""In heights of the line: farthest above or below the zone."""


def absorb_lines(page: PageState, tools: PageTools) -> None:
    """Give loose lines just above or below a zone of text, alike and within its width, to that zone.

    Reads: zones, loose_lines.
    Changes: zones, loose_lines.
    """
    zones = [replace(zone, lines=list(zone.lines)) for zone in page.zones]
    waiting = list(page.loose_lines)
    grown = True
    while grown:  # a line that has come in may bring the next one within reach
        grown = False
        for line in list(waiting):
            home = next((zone for zone in zones if zone.label in PLAIN and _adjoins(zone, line)), None)
            if home is not None and not is_vertical(line):
                home.lines.append(line)
                waiting.remove(line)
                grown = True
    page.zones, page.loose_lines = zones, waiting


def _adjoins(zone: Zone, line: TextLine) -> bool:
    """Whether a line stands right above or below a zone's lines and looks like them."""
    if not zone.lines:
        return False
    box, height = box_around(zone.lines), line.bbox.height
    alike = SAME_SIZE[0] < height / line_height(zone.lines) < SAME_SIZE[1]
    slack = SIDE_REACH * height
    within = line.bbox.x0 > box.x0 - slack and line.bbox.x1 < box.x1 + slack
    distance = max(line.bbox.y0 - box.y1, box.y0 - line.bbox.y1)
    return alike and within and distance < REACH * height
