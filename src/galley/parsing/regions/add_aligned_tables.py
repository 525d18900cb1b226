"""Pass: tables that nobody saw and no grid draws, told by their rows, columns and rules."""

from __future__ import annotations

from collections.abc import Sequence

from galley.document import BBox, Label
from galley.drafters.tables import find_aligned_tables
from galley.geometry import overlap_x, overlap_y
from galley.layout.region import Region
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

INSIDE_FIGURE = 0.5
"""Share of a table's area within a figure from which on it is the figure's labels, unless rules bound it."""
SAME_PLACE = 0.5
"""Share of a region's area within a new table that it gives way to."""


def add_aligned_tables(page: PageState, tools: PageTools) -> None:
    """Add tables of aligned cells, between rules of one width or with figures in columns, where none was seen.

    Reads: image, text_layer, uses_text_layer, lines, regions.
    Changes: regions.
    """
    vectors = page.vectors_in(BBox(x0=0, y0=0, x1=page.width, y1=page.height))
    if vectors is not None and page.lines:
        page.regions = with_aligned_tables(page.regions, find_aligned_tables(page.lines, vectors))


def with_aligned_tables(regions: Sequence[Region], found: Sequence[tuple[BBox, bool]]) -> list[Region]:
    """Regions and the tables among ``found``, boxes and whether rules bound them, that meet no other table."""
    kept = list(regions)
    for box, bounded in found:
        if any(region.label is Label.TABLE and _meet(region.bbox, box) for region in kept):
            continue
        figures = [region for region in kept if region.label is Label.FIGURE]
        if not bounded and any(box.inside(figure.bbox) > INSIDE_FIGURE for figure in figures):
            continue
        kept = [region for region in kept if region.bbox.inside(box) <= SAME_PLACE]
        kept = [region for region in kept if region.label is not Label.FIGURE or not _same(region.bbox, box)]
        kept.append(Region(Label.TABLE, box, 1.0))
    return kept


def _meet(a: BBox, b: BBox) -> bool:
    return overlap_x(a, b) > 0 and overlap_y(a, b) > 0


def _same(figure: BBox, box: BBox) -> bool:
    return box.inside(figure) > 0.8 and box.area > SAME_PLACE * figure.area
