"""Pass: zones of the lines that no region has claimed, by geometry alone."""

from __future__ import annotations

from collections.abc import Sequence

from galley.document import Label
from galley.drafters.line import TextLine
from galley.geometry import rows
from galley.layout.order import strips
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.regions.tabular import reads_across
from galley.parsing.zones.measure import box_around, is_vertical, line_height

MOST_SPACE = 0.9
"""In heights of the lower of two rows: white space up to which they are one zone."""
SAME_SIZE = (0.7, 1.4)
"""Ratios of a row's height to those above between which it is of their type size."""
ROWS_ABOVE = 3
"""Lines above that a row is compared with."""


def group_loose_lines(page: PageState, tools: PageTools) -> None:
    """Make zones of loose lines: columns first, then runs of rows of one type size with ordinary spacing.

    Lines set along the page's side become a zone each.

    Reads: zones, loose_lines.
    Changes: zones, loose_lines.
    """
    page.zones = [*page.zones, *grouped(page.loose_lines)]
    page.loose_lines = []


def grouped(lines: Sequence[TextLine]) -> list[Zone]:
    """Zones of lines, by geometry alone."""
    zones = [Zone(Label.ASIDE, line.bbox, [line]) for line in lines if is_vertical(line)]
    level = [line for line in lines if not is_vertical(line)]
    for strip in strips([line.bbox for line in level], line_height(level), reads_across(level)):
        for run in _runs([level[i] for i in strip.indices]):
            zones.append(Zone(Label.TEXT, box_around(run), run, rowwise=strip.rowwise))
    return zones


def _runs(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Cut where the space between rows is wider than most of a line or the type size changes."""
    runs: list[list[TextLine]] = []
    for row in rows([line.bbox for line in lines]):
        members = [lines[i] for i in row]
        if runs and _goes_on(runs[-1], members):
            runs[-1] += members
        else:
            runs.append(members)
    return runs


def _goes_on(run: Sequence[TextLine], row: Sequence[TextLine]) -> bool:
    """Whether a row belongs to the run above it."""
    above, here = run[-1].bbox, box_around(row)
    before = run[-ROWS_ABOVE:]
    height = min(above.height, here.height)
    ratio = line_height(row) / max(1e-6, line_height(before))
    space = here.y0 - max(line.bbox.y1 for line in before)
    return space < MOST_SPACE * height and SAME_SIZE[0] < ratio < SAME_SIZE[1]
