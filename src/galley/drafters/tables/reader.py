"""Tables without a vision–language model: rules, white space and a small row model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Cell, Table
from galley.drafters.line import TextLine, Word
from galley.drafters.tables.cells import Place
from galley.drafters.tables.frame import Frame, build_frame
from galley.drafters.tables.grid import cell_text, fill_grid
from galley.drafters.tables.header_rows import header_rows
from galley.drafters.tables.page_rulings import page_rulings
from galley.drafters.tables.pieces import cut_pieces, text_height, unplaced_text, words_of
from galley.ingest.page_vectors import PageVectors


class TableReader:
    """Reads the structure of ruled and unruled tables; holds no state and may be shared."""

    def read(
        self,
        image: NDArray[np.uint8],
        bbox: BBox,
        lines: list[TextLine],
        vectors: PageVectors | None = None,
    ) -> Table | None:
        """The table in ``bbox`` of an H×W×3 page image, or None when what is there is no table.

        lines: the text lines inside the box; all their text ends up in a cell. Cell boxes are page pixels. A
        box with neither two columns nor drawn cells is no table. vectors: the page's rules and fills, where its
        file has them; None to look for them in the image.
        """
        words = words_of(lines)
        em = text_height(words)
        rulings = page_rulings(image, bbox, words, em, vectors=vectors)
        pieces = cut_pieces(words, em, rulings.vertical)
        box = text_extent(bbox, words)
        frame = build_frame(pieces, rulings, box, em)
        if not _is_table(frame):
            return None
        table = _table(frame, fill_grid(frame, em), em)
        last = table.cells[-1]
        last.text = " ".join(filter(None, [last.text, *unplaced_text(lines)]))
        return table


def text_extent(bbox: BBox, words: list[list[Word]]) -> tuple[float, float, float, float]:
    """The box, grown to take in all text."""
    bbox = BBox.around([bbox, *(word.bbox for line in words for word in line)])
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
    top, bottom = frame.rows[place.top].top, frame.rows[place.bottom].bottom
    left, right = frame.gaps[place.left].middle, frame.gaps[place.right + 1].middle
    return BBox(x0=left, y0=min(top, bottom), x1=right, y1=max(top, bottom))
