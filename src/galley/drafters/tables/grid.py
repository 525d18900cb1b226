"""From rows and columns to cells: which places of the grid one cell covers, and what text it holds."""

from __future__ import annotations

import re
from itertools import pairwise

from galley.drafters.bidi import in_reading_order
from galley.drafters.tables.cells import Place, Places
from galley.drafters.tables.frame import Frame, Row, touched
from galley.drafters.tables.header_spans import spread_headings
from galley.drafters.tables.pieces import Piece

_LEADER = re.compile(r"(?:\s+\.+)+$|(?<=\w)\.{4,}$")
"""Dots that lead from a label to its row."""


def fill_grid(frame: Frame, em: float) -> list[Place]:
    """The table's cells with their pieces; every piece of the frame is in one of them."""
    places = Places(len(frame.rows), frame.cols)
    for r, row in enumerate(frame.rows):
        for line in row.placed:
            for piece, (first, last) in zip(line.pieces, line.spans, strict=True):
                if last > first and _is_free(row, piece, first, last):
                    places.merge(r, first, r, last)
                elif last > first:
                    first = max(range(first, last + 1), key=lambda c: _shared(piece, frame.core(c)))
                places.at(r, first).pieces.append(piece)
    if frame.closed:
        _join_open_columns(frame, places)
    _join_open_rows(frame, places)
    for piece in frame.loose:
        _place_loose(piece, frame, places, em)
    spread_headings(frame, places, em)
    return places.all()


def _is_free(row: Row, piece: Piece, first: int, last: int) -> bool:
    """Whether no other line of the row has text of its own in the last of the columns that a piece reaches into.

    Then they are one cell, else the piece only sticks out of its column.
    """
    return not any(
        other is not piece and first < a == b <= last
        for line in row.placed
        for other, (a, b) in zip(line.pieces, line.spans, strict=True)
    )


def _shared(piece: Piece, core: tuple[float, float]) -> float:
    return min(piece.x1, core[1]) - max(piece.x0, core[0])


def _join_open_columns(frame: Frame, places: Places) -> None:
    """Where an vertical rule stops, the places beside it are one cell unless both hold text."""
    for g in range(1, frame.cols):
        gap = frame.gaps[g]
        if not gap.ruled:
            continue
        rules = [rule for rule in frame.vertical if gap.left - 1 <= rule.position <= gap.right + 1]
        for r, row in enumerate(frame.rows):
            inside = max(1.0, row.bottom - row.top)
            drawn = sum(max(0.0, min(rule.end, row.bottom) - max(rule.start, row.top)) for rule in rules)
            a, b = places.at(r, g - 1), places.at(r, g)
            if drawn < 0.4 * inside and not (a.pieces and b.pieces):
                places.merge(r, g - 1, r, g)


def _join_open_rows(frame: Frame, places: Places) -> None:
    """Where a horizontal rule between two rows stops, the places above and below it are one cell."""
    sides = [(a.middle, b.middle) for a, b in pairwise(frame.gaps)]
    for r in range(1, len(frame.rows)):
        mark = frame.above[r]
        if mark is None or not mark.joins:
            continue
        for c in range(frame.cols):
            a, b = places.at(r - 1, c), places.at(r, c)
            across = range(min(a.left, b.left), max(a.right, b.right) + 1)
            # A title over all columns is no part of what stands below some of them.
            if not any(mark.covers(*sides[column]) for column in across):
                places.merge(r - 1, c, r, c)


def _place_loose(piece: Piece, frame: Frame, places: Places, em: float) -> None:
    """A piece that stands beside several rows.

    Its cell covers the rows it reaches well into and, between rules, the empty places above and below up to the next
    rule.
    """
    first, last = touched(piece, frame.gaps, em)
    reached = [r for r, row in enumerate(frame.rows) if _reaches(piece, row)] or [_nearest(piece, frame.rows)]
    if reached[-1] > reached[0] or last > first:
        places.merge(reached[0], first, reached[-1], last)
    place = places.at(reached[0], first)
    place.pieces.append(piece)


def _reaches(piece: Piece, row: Row) -> bool:
    shared = min(piece.y1, row.bottom) - max(piece.y0, row.top)
    return shared > 0.25 * min(max(1.0, piece.height), max(1.0, row.bottom - row.top))


def _nearest(piece: Piece, rows: list[Row]) -> int:
    return min(range(len(rows)), key=lambda r: abs((rows[r].top + rows[r].bottom) / 2 - piece.middle))


def cell_text(pieces: list[Piece], em: float) -> str:
    """Pieces in reading order, their lines joined by spaces."""
    lines: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        if lines and abs(lines[-1][0].middle - piece.middle) < 0.5 * em:
            lines[-1].append(piece)
        else:
            lines.append([piece])
    words = ([w for p in sorted(line, key=lambda piece: piece.x0) for w in p.words] for line in lines)
    text = " ".join(word.text for line in words for word in in_reading_order(line))
    return _LEADER.sub("", text)
