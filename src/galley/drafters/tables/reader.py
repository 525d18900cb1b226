"""Tables without a vision–language model: rules, white space and a small row model."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Cell, Table
from galley.drafters.line import TextLine, Word
from galley.drafters.tables.frame import Frame, build_frame
from galley.drafters.tables.grid import Place, cell_text, fill_grid
from galley.drafters.tables.header_rows import header_rows
from galley.drafters.tables.pieces import cut_pieces, text_height, words_of
from galley.drafters.tables.rulings import Rulings, darkest_channel, find_rulings

MARGIN = 0.5
"""Text heights around the box in which the table's own frame may be drawn."""


class TableReader:
    """Reads the structure of ruled and unruled tables; holds no state and may be shared."""

    def read(self, image: NDArray[np.uint8], bbox: BBox, lines: list[TextLine]) -> Table | None:
        """The table in ``bbox`` of an H×W×3 page image, or None when what is there is no table.

        lines: the text lines inside the box; all their text ends up in a cell. Cell boxes are page pixels. A
        box with neither two columns nor drawn cells is no table.
        """
        words = words_of(lines)
        em = text_height(words)
        rulings = _rulings(image, bbox, words, em)
        pieces = cut_pieces(words, em, rulings.vertical)
        box = _extent(bbox, words)
        frame = build_frame(pieces, rulings, box, em)
        if not _is_table(frame):
            return None
        return _table(frame, fill_grid(frame, em), em)


def _rulings(image: NDArray[np.uint8], bbox: BBox, words: list[list[Word]], em: float) -> Rulings:
    height, width = image.shape[:2]
    if not all(math.isfinite(v) for v in (bbox.x0, bbox.y0, bbox.x1, bbox.y1)):
        return Rulings()
    around = bbox.padded(MARGIN * em, width, height)
    x0, y0, x1, y1 = (int(v) for v in (around.x0, around.y0, math.ceil(around.x1), math.ceil(around.y1)))
    if x1 - x0 < 3 or y1 - y0 < 3:
        return Rulings()
    gray = darkest_channel(image[y0:y1, x0:x1])
    text = np.zeros(gray.shape, dtype=bool)
    for word in (word for line in words for word in line):
        b = word.bbox
        left, right = max(0, int(b.x0) - x0 + 1), max(0, int(b.x1) - x0 - 1)
        text[max(0, int(b.y0) - y0) : max(0, math.ceil(b.y1) - y0), left:right] = True
    return find_rulings(gray, text, em, (float(x0), float(y0)))


def _extent(bbox: BBox, words: list[list[Word]]) -> tuple[float, float, float, float]:
    """The box, grown to take in all text."""
    for word in (word for line in words for word in line):
        bbox = bbox.union(word.bbox)
    return bbox.x0, bbox.y0, bbox.x1, bbox.y1


def _is_table(frame: Frame) -> bool:
    """Two cells at least, in two columns or parted by rules."""
    if not frame.rows or len(frame.rows) * frame.cols < 2:
        return False
    return frame.cols > 1 or any(mark is not None for mark in frame.above[1:])


def _table(frame: Frame, places: list[Place], em: float) -> Table:
    head = header_rows(frame, places)
    cells = [
        Cell(
            row=p.top,
            col=p.left,
            text=cell_text(p.pieces, em),
            rowspan=p.bottom - p.top + 1,
            colspan=p.right - p.left + 1,
            header=p.bottom < head,
            bbox=_cell_box(frame, p),
        )
        for p in places
    ]
    return Table(rows=len(frame.rows), cols=frame.cols, cells=cells)


def _cell_box(frame: Frame, place: Place) -> BBox:
    return BBox(
        x0=frame.gaps[place.left].middle,
        y0=frame.rows[place.top].top,
        x1=frame.gaps[place.right + 1].middle,
        y1=frame.rows[place.bottom].bottom,
    )
