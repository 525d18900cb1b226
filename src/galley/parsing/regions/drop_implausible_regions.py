"""Pass: the detector's regions without those that the lines contradict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.geometry import rows
from galley.layout.region import Region
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.regions.tabular import begin_together, mean_chars, runs_on, strips_of
from galley.parsing.text.hyphenation import text_width

INSIDE = 0.6
"""Share of a line's area that makes it a line of a region."""
# Figures:
LABELS_COVER = 0.35
"""Most of a drawing's area that its labels cover."""
PROSE_CHARS = 15
"""Characters of a line longer than labels are."""
PROSE_LINES = 5
"""So many of them ..."""
PROSE_COVERS = 0.06
"""... that cover so much of a figure's area make it text."""
WHOLE_PAGE = 0.5
"""Part of the page from which on a region is as good as the whole page: a figure with text is none, and a table may be
several things with white space between them."""
WHOLE_PAGE_LINES = 8
"""Lines of a page that is no figure."""
# Tables:
SENTENCE_CHARS = 40
"""Characters of a line, on average, that stands over a table rather than in it."""
COLUMN_LINES, COLUMN_CHARS = 5, 22
"""Lines, and characters of them on average, of a column of text that needs no other sign; narrower ones do."""
COLUMNS_SHARE, PROSE_SHARE = 0.7, 0.5
"""Shares of a table's characters that stand in columns, and in columns of running text, where it is text."""
BLANK = 2.5
"""In line heights: white space that parts one thing from the next."""
BAND_LINES, BAND_SHARE = 6, 0.6
"""Lines of a band that is a table, and the share of them that stands in rows."""
ROW_CELLS, CELL_ROWS = 3, 3
"""Cells of a row, and such rows, of a table beside running text."""
# Regions within regions:
PIECE = 0.8
"""Share of a region's area within another of its label that makes it a piece of that."""


def drop_implausible_regions(page: PageState, tools: PageTools) -> None:
    """Drop regions that are pieces of others, and figures and tables that are text; cut tables that hold text.

    Reads: image, lines, regions.
    Changes: regions.
    """
    page.regions = plausible_regions(page.regions, page.lines, page.width, page.height)


def plausible_regions(
    regions: Sequence[Region], lines: Sequence[TextLine], width: int, height: int
) -> list[Region]:
    """Regions without the ones the lines contradict.

    Pieces of a like region, and figures and tables that are text.
    """
    kept: list[Region] = []
    for region in regions:
        if region.drawn:
            kept.append(region)
            continue
        inside = [line for line in lines if line.bbox.inside(region.bbox) > INSIDE]
        if region.label is Label.FIGURE and _is_text(region, inside, width * height):
            continue
        if region.label is Label.TABLE and _is_sentence(inside):
            kept.append(replace(region, label=Label.TEXT))
            continue
        if region.label is Label.TABLE and _is_prose(inside):
            kept += _tables_beside_prose(region, inside)
            continue
        if region.label is Label.TABLE and region.bbox.area > WHOLE_PAGE * width * height:
            kept += _tables_within(region, inside)
            continue
        kept.append(region)
    return [
        region for region in kept if not any(_holds(other, region) for other in kept if other is not region)
    ]


def _tables_within(table: Region, lines: Sequence[TextLine]) -> list[Region]:
    """The table, or the parts of it that stand in rows when wide blank bands part it."""
    found = _bands(lines)
    if len(found) < 2:
        return [table]
    tabular = [band for band in found if len(band) >= BAND_LINES and _is_tabular(band)]
    return [Region(Label.TABLE, BBox.around(line.bbox for line in band), table.score) for band in tabular]


def _bands(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Lines parted where more than a blank line or two lies between them."""
    found: list[list[TextLine]] = []
    bottom = 0.0
    blank = BLANK * float(np.median([line.bbox.height for line in lines])) if lines else 0.0
    for line in sorted(lines, key=lambda line: line.bbox.y0):
        if not found or line.bbox.y0 - bottom > blank:
            found.append([])
        found[-1].append(line)
        bottom = max(bottom, line.bbox.y1)
    return found


def _is_tabular(lines: Sequence[TextLine]) -> bool:
    return sum(len(members) for strip, members in strips_of(lines) if strip.rowwise) > BAND_SHARE * len(lines)


def _is_text(figure: Region, lines: Sequence[TextLine], page_area: float) -> bool:
    """A figure that is mostly text.

    Lines that fill it, several lines longer than labels are, or nearly the whole page full of lines.
    """
    if sum(line.bbox.area for line in lines) > LABELS_COVER * figure.bbox.area:
        return True
    prose = [line for line in lines if len(line.text) >= PROSE_CHARS]
    covered = sum(line.bbox.area for line in prose) / max(1.0, figure.bbox.area)
    return (len(prose) >= PROSE_LINES and covered > PROSE_COVERS) or (
        figure.bbox.area > WHOLE_PAGE * page_area and len(lines) >= WHOLE_PAGE_LINES
    )


def _is_sentence(lines: Sequence[TextLine]) -> bool:
    """A table of one column of long lines: what stands over a table rather than in it."""
    alone = all(len(row) == 1 for row in rows([line.bbox for line in lines]))
    return bool(lines) and alone and mean_chars(lines) >= SENTENCE_CHARS


def _is_prose(lines: Sequence[TextLine]) -> bool:
    """A table whose lines stand in columns of running text, or of that and labels beside it."""
    total = sum(text_width(line.text) for line in lines)
    columns = [members for strip, members in strips_of(lines) if not strip.rowwise]
    narrow_too = not begin_together([members for members in columns if runs_on(members)])
    prose = [
        members
        for members in columns
        if (len(members) >= COLUMN_LINES and mean_chars(members) >= COLUMN_CHARS)
        or (narrow_too and runs_on(members))
    ]
    return _all_chars(columns) > COLUMNS_SHARE * total and _all_chars(prose) > PROSE_SHARE * total


def _all_chars(columns: Sequence[Sequence[TextLine]]) -> int:
    return sum(text_width(line.text) for column in columns for line in column)


def _tables_beside_prose(region: Region, lines: Sequence[TextLine]) -> list[Region]:
    """What of a region that is mostly running text stands in rows of three cells and more."""
    found = []
    for strip, members in strips_of(lines):
        if (
            strip.rowwise
            and sum(len(row) >= ROW_CELLS for row in rows([line.bbox for line in members])) >= CELL_ROWS
        ):
            found.append(Region(Label.TABLE, BBox.around(line.bbox for line in members), region.score))
    return found


def _holds(other: Region, region: Region) -> bool:
    """Whether ``region`` is a piece of ``other`` with the same label, or the lesser of two equals."""
    if other.label is not region.label or region.bbox.inside(other.bbox) < PIECE:
        return False
    return (other.bbox.area, other.score) > (region.bbox.area, region.score)
