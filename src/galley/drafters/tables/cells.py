"""Cells of a grid before they are read: places that merge into rectangles."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from galley.drafters.tables.pieces import Piece


@dataclass
class Place:
    """A cell-to-be: rows ``top``..``bottom`` and columns ``left``..``right``, inclusive, and its pieces."""

    top: int
    left: int
    bottom: int
    right: int
    pieces: list[Piece] = field(default_factory=list)


class Places:
    """A grid of places that merge into rectangles and never overlap."""

    def __init__(self, rows: int, cols: int) -> None:
        self._ids = np.arange(rows * cols).reshape(rows, cols)
        self._places = {r * cols + c: Place(r, c, r, c) for r in range(rows) for c in range(cols)}

    def at(self, row: int, col: int) -> Place:
        """The place that covers a row and a column."""
        return self._places[int(self._ids[row, col])]

    def all(self) -> list[Place]:
        """By row, then column."""
        return sorted(self._places.values(), key=lambda place: (place.top, place.left))

    def merge(self, top: int, left: int, bottom: int, right: int) -> None:
        """One place for the whole rectangle, grown until it cuts through no other place."""
        while True:
            ids = np.unique(self._ids[top : bottom + 1, left : right + 1])
            parts = [self._places[int(i)] for i in ids]
            grown = (
                min(p.top for p in parts), min(p.left for p in parts),
                max(p.bottom for p in parts), max(p.right for p in parts),
            )  # fmt: skip
            if grown == (top, left, bottom, right):
                break
            top, left, bottom, right = grown
        for i in ids:
            del self._places[int(i)]
        merged = Place(top, left, bottom, right, [piece for part in parts for piece in part.pieces])
        self._places[int(ids[0])] = merged
        self._ids[top : bottom + 1, left : right + 1] = ids[0]
