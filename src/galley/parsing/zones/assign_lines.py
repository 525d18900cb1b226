"""Pass: the regions become zones, and each line goes to the one that claims it best."""

from __future__ import annotations

from galley.document import Label
from galley.drafters.line import TextLine
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import is_vertical

LEAST_INSIDE = 0.5
"""Share of a line's area within a zone that claims it."""
WELL_INSIDE = 0.75
"""Share from which on a claim goes before those of zones that hold less of the line."""
PLAIN = (Label.TEXT, Label.REFERENCE)
"""Of two zones that claim a line alike, the one with another label than these wins."""


def assign_lines(page: PageState, tools: PageTools) -> None:
    """Make a zone of each region and give it its lines; lines that no region claims stay loose.

    Reads: regions, lines.
    Changes: zones, loose_lines.
    """
    page.zones = [
        Zone(region.label, region.bbox, score=region.score, drawn=region.drawn) for region in page.regions
    ]
    page.loose_lines = []
    for line in page.lines:
        claims = [(_claim(zone, line), zone) for zone in page.zones if _is_inside(line, zone)]
        if claims and not is_vertical(line):
            max(claims, key=lambda claim: claim[0])[1].lines.append(line)
        else:
            page.loose_lines.append(line)


def _is_inside(line: TextLine, zone: Zone) -> bool:
    return line.bbox.inside(zone.bbox) >= LEAST_INSIDE


def _claim(zone: Zone, line: TextLine) -> tuple[bool, bool, float, float]:
    """What claims are ranked by, the highest first: the share of the line, the label, the smaller zone."""
    share = line.bbox.inside(zone.bbox)
    return share >= WELL_INSIDE, zone.label not in PLAIN, round(share, 1), -zone.bbox.area
