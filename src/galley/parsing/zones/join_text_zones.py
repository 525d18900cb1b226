"""Pass: running text that the layout detector cut between two lines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from galley.document import Label
from galley.drafters.line import TextLine
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import box_around, line_height

SAME_SIZE = (0.93, 1.08)
"""Ratios of the heights of two zones' lines between which they are set in one type size."""
SAME_EDGE = 0.5
"""In heights of a line: how far the left edges of one column differ."""
SAME_STEP = 0.15
"""Part of the step from line to line within a zone by which the step between two zones may differ from it."""


def join_text_zones(page: PageState, tools: PageTools) -> None:
    """Join zones of text that follow each other as the lines of one column do.

    They are set in one type size and style, share their left edge, and are no further apart than their own lines.

    Reads: zones.
    Changes: zones.
    """
    joined: list[Zone] = []
    for zone in page.zones:
        if joined and _goes_on(joined[-1], zone):
            lines = [*joined[-1].lines, *zone.lines]
            joined[-1] = replace(joined[-1], lines=lines, bbox=box_around(lines))
        else:
            joined.append(zone)
    page.zones = joined


def _goes_on(above: Zone, below: Zone) -> bool:
    """Whether the lines of the zone below go on those of the one above."""
    if any(zone.label is not Label.TEXT or zone.rowwise or not zone.lines for zone in (above, below)):
        return False
    last, first = above.lines[-1], below.lines[0]
    height = line_height(above.lines)
    alike = (
        SAME_SIZE[0] < line_height(below.lines) / height < SAME_SIZE[1]
        and (last.bold, last.italic, last.mono) == (first.bold, first.italic, first.mono)
        and abs(box_around(above.lines).x0 - box_around(below.lines).x0) < SAME_EDGE * height
    )
    usual = _step(above.lines) or _step(below.lines)
    step = first.bbox.center[1] - last.bbox.center[1]
    return alike and usual is not None and abs(step - usual) < SAME_STEP * usual


def _step(lines: list[TextLine]) -> float | None:
    """Median step in pixels from one line to the next; None for a single line."""
    middles = [line.bbox.center[1] for line in lines]
    return float(np.median(np.diff(middles))) if len(middles) > 1 else None
