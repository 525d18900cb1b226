"""Pass: tables drawn with rules that the detector missed or drew too large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.drafters.tables import find_tables
from galley.geometry import rows
from galley.layout.region import Region
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.text.hyphenation import text_width

INSIDE = 0.6
"""Share of a line's area that makes it a line of a region."""
WITHIN = 0.9
"""Share of a drawn table's area within a region that holds it."""
SAME_PLACE = 0.5
"""Share of the one's area within the other of two boxes that claim one place."""
SENTENCE_CHARS = 40
"""Characters of a line that is no cell."""


def add_ruled_tables(page: PageState, tools: PageTools) -> None:
    """Add tables drawn as grids of rules; one seen with sentences around it shrinks to the grid.

    Reads: image, text_layer, uses_text_layer, lines, regions.
    Changes: regions.
    """
    vectors = page.vectors_in(BBox(x0=0, y0=0, x1=page.width, y1=page.height))
    page.regions = with_ruled_tables(page.regions, find_tables(page.image, page.lines, vectors), page.lines)


def with_ruled_tables(
    regions: Sequence[Region], found: Sequence[BBox], lines: Sequence[TextLine] = ()
) -> list[Region]:
    """Regions and the ruled tables the detector missed, which replace what it saw in their place.

    lines: the page's. A table that holds sentences around the drawn one is the drawn one, and one that holds several
    with at most a heading between them is these.
    """
    regions = [part for region in regions for part in _narrowed(region, found, lines)]
    regions = [_marked(region, found) for region in regions]
    tables = [region.bbox for region in regions if region.label is Label.TABLE]
    missed = [box for box in found if not any(_meet(box, table) for table in tables)]
    kept = [region for region in regions if not any(region.bbox.inside(box) > SAME_PLACE for box in missed)]
    return kept + [Region(Label.TABLE, box, 1.0, drawn=True) for box in missed]


def _marked(region: Region, found: Sequence[BBox]) -> Region:
    """The region, as drawn where it is one of the drawn tables."""
    same = any(min(region.bbox.inside(box), box.inside(region.bbox)) > SAME_PLACE for box in found)
    return replace(region, drawn=True) if region.label is Label.TABLE and same else region


def _narrowed(region: Region, found: Sequence[BBox], lines: Sequence[TextLine]) -> list[Region]:
    drawn = [box for box in found if box.inside(region.bbox) > WITHIN]
    if region.label is not Label.TABLE or not drawn:
        return [region]
    around = [
        line
        for line in lines
        if line.bbox.inside(region.bbox) > INSIDE and not any(line.bbox.inside(box) > INSIDE for box in drawn)
    ]
    several = len(drawn) > 1 and all(len(row) == 1 for row in rows([line.bbox for line in around]))
    if not several and not any(text_width(line.text) >= SENTENCE_CHARS for line in around):
        return [region]
    return [replace(region, bbox=box) for box in drawn]


def _meet(a: BBox, b: BBox) -> bool:
    return max(a.inside(b), b.inside(a)) > SAME_PLACE
