"""The whole of a table whose box misses its first or last rows: they lie between its body and a rule as wide as it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.tables.page_rulings import page_rulings
from galley.drafters.tables.pieces import text_height, words_of
from galley.geometry import rows
from galley.ingest.page_vectors import PageVectors

REACH = 8.0
"""Text heights from the box to the farthest rule looked for."""
MOST_ROWS = 4
EDGE = 0.08
"""How far the ends of the rule may be from the table's sides, as a part of the table's width."""
WIDE = 0.7
"""Text that takes more of the table's width is a sentence, not a cell."""


def grow_table(
    image: NDArray[np.uint8],
    bbox: BBox,
    lines: Sequence[TextLine],
    taken: Sequence[BBox],
    vectors: PageVectors | None = None,
) -> BBox:
    """The box of a table, up and down to the farthest rule across its width that nothing but cells lie before.

    image: the H×W×3 page. lines: the page's. taken: boxes of other things on the page, whose text is no cell.
    vectors: the page's rules, where its file has them.
    """
    above = _reached(image, bbox, lines, taken, vectors, up=True)
    below = _reached(image, bbox, lines, taken, vectors, up=False)
    return BBox(x0=bbox.x0, y0=min(bbox.y0, above), x1=bbox.x1, y1=max(bbox.y1, below))


def _reached(
    image: NDArray[np.uint8],
    bbox: BBox,
    lines: Sequence[TextLine],
    taken: Sequence[BBox],
    vectors: PageVectors | None,
    *,
    up: bool,
) -> float:
    """The y to which the table reaches on one side."""
    own = [line for line in lines if line.bbox.inside(bbox) > 0.5]
    edge = bbox.y0 if up else bbox.y1
    if not own:
        return edge
    em = text_height(words_of(own))
    side = _side(bbox, REACH * em, image.shape[0], up)
    beside = [line for line in lines if _meets(line.bbox, side) and line not in own]
    if not beside:
        return edge
    levels = _rules(image, side, beside, em, bbox, vectors)
    for level in sorted(levels, key=lambda y: -abs(y - edge)):
        between = [line for line in beside if (level < line.bbox.center[1]) is up]
        if between and _are_cells(between, bbox, taken):
            return level
    return edge


def _side(bbox: BBox, reach: float, height: int, up: bool) -> BBox:
    y0, y1 = (bbox.y0 - reach, bbox.y0) if up else (bbox.y1, bbox.y1 + reach)
    return BBox(x0=bbox.x0, y0=max(0.0, y0), x1=bbox.x1, y1=min(float(height), y1))


def _meets(box: BBox, side: BBox) -> bool:
    return side.y0 < box.center[1] < side.y1 and box.x0 < side.x1 and side.x0 < box.x1


def _rules(
    image: NDArray[np.uint8],
    side: BBox,
    lines: list[TextLine],
    em: float,
    bbox: BBox,
    vectors: PageVectors | None,
) -> list[float]:
    slack = EDGE * bbox.width
    around = side.padded(slack, image.shape[1], image.shape[0])
    found = page_rulings(image, around, words_of(lines), em, vectors=vectors).horizontal
    return [
        rule.position
        for rule in found
        if abs(rule.start - bbox.x0) < slack and abs(rule.end - bbox.x1) < slack
    ]


def _are_cells(lines: Sequence[TextLine], bbox: BBox, taken: Sequence[BBox]) -> bool:
    """Whether lines beside a table are rows of it: few, short, within its sides, and nothing else's."""
    found = rows([line.bbox for line in lines])
    return (
        len(found) <= MOST_ROWS
        and max(len(row) for row in found) > 1
        and all(
            line.bbox.width < WIDE * bbox.width and line.bbox.inside(_column(bbox)) > 0.9 for line in lines
        )
        and not any(line.bbox.inside(box) > 0.5 for line in lines for box in taken)
    )


def _column(bbox: BBox) -> BBox:
    return BBox(x0=bbox.x0 - EDGE * bbox.width, y0=-1e9, x1=bbox.x1 + EDGE * bbox.width, y1=1e9)
