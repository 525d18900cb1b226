"""From regions and lines to zones: every line of the page in exactly one zone, zones in reading order.

The detector knows what looks like a table, a figure or a heading; the lines know where text is. A region
with no lines is no text, a line outside all regions is still text, and a region the lines contradict is
dropped (``regions``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.order import reading_order, rows, strips
from galley.layout.region import Region
from galley.parsing.regions.drop_implausible_regions import credible, looks_tabular
from galley.parsing.zones.split_lines_at_regions import split_at_regions

# Regions whose box is what matters, whether or not a line of text was read in them.
_VISUAL = (Label.FIGURE, Label.TABLE, Label.FORMULA)
# Where two regions claim a line, the more special label wins; see ``_claim``.
_PLAIN = (Label.TEXT, Label.REFERENCE)


@dataclass
class Zone:
    """A region of the page with its lines in reading order.

    score: the detector's, None where the lines alone made the zone. rowwise: lines are cells of rows to
    read across.
    """

    label: Label
    bbox: BBox
    lines: list[TextLine] = field(default_factory=list)
    score: float | None = None
    rowwise: bool = False


def find_zones(regions: Sequence[Region], lines: Sequence[TextLine], width: int, height: int) -> list[Zone]:
    """Zones of a page of ``width`` × ``height`` pixels in reading order."""
    kept = credible(regions, lines, width, height)
    lines = split_at_regions(lines, kept)
    zones = [Zone(region.label, region.bbox, score=region.score) for region in kept]
    free = _assign(zones, lines)
    free = _absorb(zones, free)
    zones = [_settled(zone) for zone in zones if zone.lines or zone.label in _VISUAL]
    zones += gather(free)
    return in_order(zones)


def in_order(zones: Sequence[Zone]) -> list[Zone]:
    """Zones in reading order; text set along the page's side comes last."""
    main = [zone for zone in zones if zone.label is not Label.ASIDE]
    aside = [zone for zone in zones if zone.label is Label.ASIDE]
    order = reading_order(
        [zone.bbox for zone in main], 0.4 * line_height([l for z in zones for l in z.lines])
    )
    return [main[i] for i in order] + aside


def line_height(lines: Sequence[TextLine]) -> float:
    """Median height of the lines in pixels; 1 where there are none."""
    return float(np.median([line.bbox.height for line in lines])) if lines else 1.0


def gather(lines: Sequence[TextLine]) -> list[Zone]:
    """Zones made by geometry alone: columns first, then runs of lines with like height and ordinary
    spacing.
    """
    zones = []
    upright = [line for line in lines if not is_vertical(line)]
    for line in lines:
        if is_vertical(line):
            zones.append(Zone(Label.ASIDE, line.bbox, [line]))
    boxes = [line.bbox for line in upright]
    for strip in strips(boxes, line_height(upright), looks_tabular(upright)):
        members = [upright[i] for i in strip.indices]
        for run in _runs(members):
            zones.append(Zone(Label.TEXT, union(run), run, rowwise=strip.rowwise))
    return zones


def is_vertical(line: TextLine) -> bool:
    """Text set along the page's side."""
    return len(line.text.strip()) > 3 and line.bbox.height > 2 * line.bbox.width


def union(lines: Sequence[TextLine]) -> BBox:
    return BBox.around(line.bbox for line in lines)


def _assign(zones: list[Zone], lines: Sequence[TextLine]) -> list[TextLine]:
    """Give each line to the zone that claims it best; the lines none claims come back."""
    free = []
    for line in lines:
        claims = [(_claim(zone, line), zone) for zone in zones if line.bbox.inside(zone.bbox) >= 0.5]
        if claims and not is_vertical(line):
            max(claims, key=lambda claim: claim[0])[1].lines.append(line)
        else:
            free.append(line)
    return free


def _claim(zone: Zone, line: TextLine) -> tuple[bool, bool, float, float]:
    share = line.bbox.inside(zone.bbox)
    return share >= 0.75, zone.label not in _PLAIN, round(share, 1), -zone.bbox.area


def _absorb(zones: list[Zone], free: Sequence[TextLine]) -> list[TextLine]:
    """Lines just above or below a text zone's own, alike and within its width, are its lines that the box
    missed.
    """
    waiting = list(free)
    grown = True
    while grown:
        grown = False
        for line in list(waiting):
            home = next((zone for zone in zones if zone.label in _PLAIN and _adjoins(zone, line)), None)
            if home is not None and not is_vertical(line):
                home.lines.append(line)
                waiting.remove(line)
                grown = True
    return waiting


def _adjoins(zone: Zone, line: TextLine) -> bool:
    if not zone.lines:
        return False
    box, height = union(zone.lines), line.bbox.height
    alike = 0.75 < height / line_height(zone.lines) < 1.33
    within = line.bbox.x0 > box.x0 - 1.5 * height and line.bbox.x1 < box.x1 + 1.5 * height
    distance = max(line.bbox.y0 - box.y1, box.y0 - line.bbox.y1)
    return alike and within and distance < 0.6 * height


def _settled(zone: Zone) -> Zone:
    """The zone with its lines in order and, unless it is visual, a box that fits them."""
    if not zone.lines:
        return zone
    ordered, rowwise = ordered_lines(zone.lines)
    tight = union(ordered)
    bbox = zone.bbox.union(tight) if zone.label in _VISUAL else tight
    return replace(zone, bbox=bbox, lines=ordered, rowwise=rowwise)


def ordered_lines(lines: Sequence[TextLine]) -> tuple[list[TextLine], bool]:
    """Lines in reading order and whether they are cells of rows."""
    found = strips([line.bbox for line in lines], line_height(lines), looks_tabular(lines))
    return [lines[i] for strip in found for i in strip.indices], any(strip.rowwise for strip in found)


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
    above = run[-1].bbox
    here = union(row)
    height = min(above.height, here.height)
    ratio = line_height(row) / max(1e-6, line_height(run[-3:]))
    return here.y0 - max(line.bbox.y1 for line in run[-3:]) < 0.9 * height and 0.7 < ratio < 1.4
