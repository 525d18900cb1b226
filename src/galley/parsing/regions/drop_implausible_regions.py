"""Which of the detector's regions the lines of text bear out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.order import Rowwise, Strip, rows, strips
from galley.layout.region import Region
from galley.parsing.regions.running_text import are_running_text, begin_together, runs_on
from galley.parsing.text.hyphenation import text_width

_PROSE_CHARS = 15
_SENTENCE = 40
_CELL_CHARS = 14
# Characters of a usual line: columns of text need no other sign than that, narrower ones do.
_PROSE_MEAN = 22
# A table that takes more of the page than this may be several things with white space between them.
_WHOLE_PAGE = 0.5
_BLANK = 2.5
# Cells of a row stand level to this part of their height; lines of columns side by side are nearer by chance.
_LEVEL = 0.3
# The labels of a drawing cover less of it.
_DENSE = 0.35


def credible(regions: Sequence[Region], lines: Sequence[TextLine], width: int, height: int) -> list[Region]:
    """Regions without the ones the lines contradict: pieces of a like region, and figures and tables that
    are text.
    """
    kept: list[Region] = []
    for region in regions:
        inside = [line for line in lines if line.bbox.inside(region.bbox) > 0.6]
        if region.label is Label.FIGURE and _is_text(region, inside, width * height):
            continue
        if region.label is Label.TABLE and _is_sentence(inside):
            kept.append(replace(region, label=Label.TEXT))
            continue
        if region.label is Label.TABLE and _is_prose(inside):
            kept += _tables_beside_prose(region, inside)
            continue
        if region.label is Label.TABLE and region.bbox.area > _WHOLE_PAGE * width * height:
            kept += _tables_within(region, inside)
            continue
        kept.append(region)
    return [
        region for region in kept if not any(_holds(other, region) for other in kept if other is not region)
    ]


def with_tables(
    regions: Sequence[Region], found: Sequence[BBox], lines: Sequence[TextLine] = ()
) -> list[Region]:
    """Regions and the ruled tables the detector missed, which replace what it saw in their place.

    lines: the page's. A table that holds sentences around the drawn one is the drawn one.
    """
    regions = [part for region in regions for part in _narrowed(region, found, lines)]
    tables = [region.bbox for region in regions if region.label is Label.TABLE]
    missed = [box for box in found if not any(_meet(box, table) for table in tables)]
    kept = [region for region in regions if not any(region.bbox.inside(box) > 0.5 for box in missed)]
    return kept + [Region(Label.TABLE, box, 1.0) for box in missed]


def _narrowed(region: Region, found: Sequence[BBox], lines: Sequence[TextLine]) -> list[Region]:
    drawn = [box for box in found if box.inside(region.bbox) > 0.9]
    if region.label is not Label.TABLE or not drawn:
        return [region]
    around = [
        line
        for line in lines
        if line.bbox.inside(region.bbox) > 0.6 and not any(line.bbox.inside(box) > 0.6 for box in drawn)
    ]
    if not any(text_width(line.text) >= _SENTENCE for line in around):
        return [region]
    return [replace(region, bbox=box) for box in drawn]


def _meet(a: BBox, b: BBox) -> bool:
    return max(a.inside(b), b.inside(a)) > 0.5


def _tables_within(table: Region, lines: Sequence[TextLine]) -> list[Region]:
    """The table, or the parts of it that stand in rows when wide blank bands part it."""
    found = _bands(lines)
    if len(found) < 2:
        return [table]
    tabular = [band for band in found if len(band) >= 6 and _is_tabular(band)]
    return [Region(Label.TABLE, BBox.around(line.bbox for line in band), table.score) for band in tabular]


def _bands(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Lines parted where more than a blank line or two lies between them."""
    found: list[list[TextLine]] = []
    bottom = 0.0
    blank = _BLANK * float(np.median([line.bbox.height for line in lines])) if lines else 0.0
    for line in sorted(lines, key=lambda line: line.bbox.y0):
        if not found or line.bbox.y0 - bottom > blank:
            found.append([])
        found[-1].append(line)
        bottom = max(bottom, line.bbox.y1)
    return found


def _is_tabular(lines: Sequence[TextLine]) -> bool:
    return sum(len(members) for strip, members in _strips(lines) if strip.rowwise) > 0.6 * len(lines)


def looks_tabular(lines: Sequence[TextLine]) -> Rowwise:
    """The test whether columns of ``lines`` are columns of cells, to read across, rather than of prose.

    Cells are short and stand in rows; so are and do the lines of narrow columns of text, but their sentences
    go on from line to line. Two columns of short words alone may as well be two addresses side by side; there
    it takes figures, list marks or colons to tell.
    """

    def test(columns: list[list[int]]) -> bool:
        parts = [[lines[i] for i in column] for column in columns]
        short = sum(_mean_chars(part) <= _CELL_CHARS for part in parts)
        if 2 * short < len(parts) or not _aligned([[line.bbox for line in part] for part in parts]):
            return False
        if are_running_text(parts):
            return False
        return len(parts) > 2 or any(map(_are_values, parts)) or _are_keys(parts[0])

    return test


def _aligned(columns: list[list[BBox]]) -> bool:
    """Whether most boxes of the columns but the longest stand on a row of another column."""
    fewest = sorted(columns, key=len)[: max(1, len(columns) - 1)]
    hits = total = 0
    for column in fewest:
        others = [box for other in columns if other is not column for box in other]
        total += len(column)
        hits += sum(
            any(abs(b.center[1] - o.center[1]) < _LEVEL * min(b.height, o.height) for o in others)
            for b in column
        )
    return hits >= 0.6 * total


def _are_values(column: Sequence[TextLine]) -> bool:
    """Mostly figures, or marks of a few characters."""
    values = [
        line
        for line in column
        if len(line.text) <= 3 or 2 * sum(map(str.isalpha, line.text)) < len(line.text)
    ]
    return 2 * len(values) >= len(column)


def _are_keys(column: Sequence[TextLine]) -> bool:
    return 2 * sum(line.text.rstrip().endswith(":") for line in column) >= len(column)


def _mean_chars(lines: Sequence[TextLine]) -> float:
    return float(np.mean([text_width(line.text) for line in lines]))


def _is_text(figure: Region, lines: Sequence[TextLine], page_area: float) -> bool:
    """A figure that is mostly text: lines that fill it, several lines longer than labels are, or nearly the
    whole page full of lines.
    """
    if sum(line.bbox.area for line in lines) > _DENSE * figure.bbox.area:
        return True
    prose = [line for line in lines if len(line.text) >= _PROSE_CHARS]
    covered = sum(line.bbox.area for line in prose) / max(1.0, figure.bbox.area)
    return (len(prose) >= 5 and covered > 0.06) or (figure.bbox.area > 0.5 * page_area and len(lines) >= 8)


def _is_sentence(lines: Sequence[TextLine]) -> bool:
    """A table of one column of long lines: what stands over a table rather than in it."""
    alone = all(len(row) == 1 for row in rows([line.bbox for line in lines]))
    return bool(lines) and alone and _mean_chars(lines) >= _SENTENCE


def _is_prose(lines: Sequence[TextLine]) -> bool:
    """A table whose lines stand in columns of running text, or of that and labels beside it."""
    total = sum(text_width(line.text) for line in lines)
    columns = [members for strip, members in _strips(lines) if not strip.rowwise]
    narrow_too = not begin_together([members for members in columns if runs_on(members)])
    prose = [
        members
        for members in columns
        if (len(members) >= 5 and _mean_chars(members) >= _PROSE_MEAN) or (narrow_too and runs_on(members))
    ]
    return _all_chars(columns) > 0.7 * total and _all_chars(prose) > 0.5 * total


def _all_chars(columns: Sequence[Sequence[TextLine]]) -> int:
    return sum(text_width(line.text) for column in columns for line in column)


def _tables_beside_prose(region: Region, lines: Sequence[TextLine]) -> list[Region]:
    """What of a region that is mostly running text stands in rows of three cells and more."""
    found = []
    for strip, members in _strips(lines):
        if strip.rowwise and sum(len(row) >= 3 for row in rows([line.bbox for line in members])) >= 3:
            found.append(Region(Label.TABLE, BBox.around(line.bbox for line in members), region.score))
    return found


def _strips(lines: Sequence[TextLine]) -> list[tuple[Strip, list[TextLine]]]:
    """Parts of the lines that are read one after another, with their lines."""
    height = float(np.median([line.bbox.height for line in lines])) if lines else 1.0
    found = strips([line.bbox for line in lines], height, looks_tabular(lines))
    return [(strip, [lines[i] for i in strip.indices]) for strip in found]


def _holds(other: Region, region: Region) -> bool:
    """Whether ``region`` is a piece of ``other`` with the same label, or the lesser of two equals."""
    if other.label is not region.label or region.bbox.inside(other.bbox) < 0.8:
        return False
    return (other.bbox.area, other.score) > (region.bbox.area, region.score)
