"""Pass: listings of program code, told by their typeface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.document import Label
from galley.geometry import shared_width
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import line_height

BLANK_LINES = 2.0
"""In line heights: white space from which on two listings are two; one blank line leaves less."""
_LABELS = (Label.TEXT, Label.REFERENCE, Label.TABLE, Label.CODE)
"""What a listing may have been taken for; a table in such type keeps its columns as code as well."""


def join_code_zones(page: PageState, tools: PageTools) -> None:
    """Label zones set in a typeface of equal widths as code, and join listings parted by a blank line.

    Reads: zones.
    Changes: zones.
    """
    page.zones = joined_code(page.zones)


def joined_code(zones: Sequence[Zone]) -> list[Zone]:
    """Zones in order; those in a typeface of equal widths are code, and neighbours one listing."""
    joined: list[Zone] = []
    for zone in zones:
        if not is_code(zone):
            joined.append(zone)
            continue
        before = joined[-1] if joined else None
        if before is not None and before.label is Label.CODE and _adjoin(before, zone):
            lines = [*before.lines, *zone.lines]
            joined[-1] = Zone(Label.CODE, before.bbox.union(zone.bbox), lines, zone.score)
        else:
            joined.append(replace(zone, label=Label.CODE))
    return joined


def is_code(zone: Zone) -> bool:
    """Whether a zone is text set in a typeface of equal widths; a table of drawn cells is none."""
    return (
        not zone.drawn
        and zone.label in _LABELS
        and bool(zone.lines)
        and all(line.mono for line in zone.lines)
    )


def _adjoin(above: Zone, below: Zone) -> bool:
    step = below.bbox.y0 - above.bbox.y1
    return 0 <= step < BLANK_LINES * line_height(below.lines) and shared_width(above.bbox, below.bbox) > 0
