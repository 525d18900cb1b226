"""Ruled tables on a page that a layout detector missed.

Horizontal and vertical rules that cross into cells holding text.
"""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.line import TextLine, Word
from galley.drafters.tables.page_rulings import page_rulings
from galley.drafters.tables.pieces import text_height, words_of
from galley.drafters.tables.rulings import Ruling, Rulings
from galley.ingest.page_vectors import PageVectors

FILLED = 0.3
"""Share of a grid's cells that must hold text: a chart's grid lines hold next to none."""
LINES = 3
"""Rules each way of the smallest grid, two rows and two columns."""


def find_tables(
    image: NDArray[np.uint8], lines: list[TextLine], vectors: PageVectors | None = None
) -> list[BBox]:
    """Boxes of tables drawn as grids of at least two rows and two columns, most of whose crossings are drawn.

    Top to bottom.

    image: the H×W×3 page. lines: all its text lines. vectors: its rules, where its file has them. Strong evidence
    only: tables without vertical rules are not looked for.
    """
    words = words_of(lines)
    em = text_height(words)
    height, width = image.shape[:2]
    page = BBox(x0=0, y0=0, x1=width, y1=height)
    flat = [word for line in words for word in line]
    rulings = page_rulings(image, page, words, em, least_vertical=LINES, vectors=vectors)
    grids = _connected(rulings, em)
    found = [box for grid in grids if (box := _table_box(grid, flat, em))]
    return sorted(found, key=lambda box: (box.y0, box.x0))


def _connected(rulings: Rulings, em: float) -> list[Rulings]:
    """Rules that touch one another, directly or through others, as separate drawings."""
    rest = list(rulings.vertical)
    drawings: list[Rulings] = []
    for rule in rulings.horizontal:
        touching = [d for d in drawings if any(_cross(rule, v, em) for v in d.vertical)]
        fresh = [v for v in rest if _cross(rule, v, em)]
        if not touching and not fresh:
            continue
        rest = [v for v in rest if v not in fresh]
        merged = Rulings(
            [rule, *(h for d in touching for h in d.horizontal)],
            [*fresh, *(v for d in touching for v in d.vertical)],
        )
        drawings = [d for d in drawings if d not in touching] + [merged]
    return drawings


def _cross(horizontal: Ruling, vertical: Ruling, em: float) -> bool:
    slack = 0.4 * em
    return (
        horizontal.start - slack <= vertical.position <= horizontal.end + slack
        and vertical.start - slack <= horizontal.position <= vertical.end + slack
    )


def _table_box(grid: Rulings, words: list[Word], em: float) -> BBox | None:
    ys, xs = _places(grid.horizontal, em), _places(grid.vertical, em)
    if len(ys) < LINES or len(xs) < LINES:
        return None
    drawn = sum(
        any(
            _cross(h, v, em)
            for h in grid.horizontal
            if abs(h.position - y) < em
            for v in grid.vertical
            if abs(v.position - x) < em
        )
        for y in ys
        for x in xs
    )
    cells = {
        (bisect_right(ys, word.bbox.center[1]), bisect_right(xs, word.bbox.center[0]))
        for word in words
        if ys[0] < word.bbox.center[1] < ys[-1] and xs[0] < word.bbox.center[0] < xs[-1]
    }
    both_ways = len({row for row, _ in cells}) > 1 and len({col for _, col in cells}) > 1
    full = len(cells) >= FILLED * (len(ys) - 1) * (len(xs) - 1)
    if drawn < 0.6 * len(ys) * len(xs) or not both_ways or not full:
        return None
    return BBox(x0=xs[0], y0=ys[0], x1=xs[-1], y1=ys[-1])


def _places(rules: list[Ruling], em: float) -> list[float]:
    """Distinct positions, those within most of a text height taken as one."""
    places: list[float] = []
    for position in sorted(rule.position for rule in rules):
        if not places or position - places[-1] > 0.7 * em:
            places.append(position)
    return places
