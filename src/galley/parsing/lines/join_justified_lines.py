"""Pass: lines of a justified column that wide word spaces broke into pieces, made whole again.

A wide gap alone does not tell a word space from a column gap. The rows above and below do: they run across a
word space and end at the same edge of the column, while a gutter or a table's column is white in them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.geometry import corners_of
from galley.parsing.lines.merge import merge_pieces
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

MOST_PIECES = 8
"""Pieces of one line."""
# In heights of the line:
WIDEST_SPACE = 4.0
"""Widest word space that stretching makes."""
ROW_REACH = 2.2
"""Farthest from a row's middle to the next row's."""
MOST_INDENT = 3.0
"""Farthest that a first line is set in."""
EDGE_SLACK = 0.5
"""How far ends of lines of one column differ."""
NARROWEST_COLUMN = 8.0
"""No column of running text is narrower, but cells of a table are."""
# Ratios:
MOST_UNEVEN = 3.0
"""How much wider than the line's other word spaces a stretched one may be."""
SAME_SIZE = 0.75
"""Least ratio of the heights of two lines in one type size."""


def join_justified_lines(page: PageState, tools: PageTools) -> None:
    """Join the pieces of each line that wide word spaces broke.

    Reads: lines.
    Changes: lines.
    """
    page.lines = joined_justified(page.lines)


def joined_justified(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines in their order; pieces of one justified line are one, at the place of its first piece."""
    joined = _joined(lines)
    # A line made whole may be what shows that the next one is broken.
    while len(joined) < len(lines):
        lines, joined = joined, _joined(joined)
    return joined


def _joined(lines: Sequence[TextLine]) -> list[TextLine]:
    if len(lines) < 3:
        return list(lines)
    page = _Pieces(lines)
    whole: dict[int, TextLine] = {}
    gone: set[int] = set()
    for start in range(len(lines)):
        run = page.run(start)
        part = page.broken_line(run) if len(run) > 1 and gone.isdisjoint(run) else []
        if part:
            whole[min(part)] = merge_pieces([lines[i] for i in part])
            gone.update(part)
    return [whole.get(i, line) for i, line in enumerate(lines) if i not in gone or i in whole]


class _Pieces:
    """Lines of a page and what lies beside, above and below each."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = lines
        self.corners = corners_of([line.bbox for line in lines])
        self.heights = np.maximum(1e-6, self.corners[:, 3] - self.corners[:, 1])
        self.middles = (self.corners[:, 1] + self.corners[:, 3]) / 2
        self.following = [self._right_of(i) for i in range(len(lines))]

    def run(self, start: int) -> list[int]:
        """The line and those that follow to its right, each at most a wide word space away."""
        run = [start]
        while len(run) < MOST_PIECES and (following := self.following[run[-1]]) is not None:
            run.append(following)
        return run

    def _right_of(self, i: int) -> int | None:
        height = self.heights[i]
        gap = self.corners[:, 0] - self.corners[i, 2]
        level = np.abs(self.middles - self.middles[i]) < 0.4 * np.minimum(self.heights, height)
        found = np.flatnonzero(level & self._like(i) & (gap > 0) & (gap < WIDEST_SPACE * height))
        return int(found[np.argmin(gap[found])]) if len(found) else None

    def _like(self, i: int) -> NDArray[np.bool_]:
        ratio = self.heights / self.heights[i]
        return (ratio > SAME_SIZE) & (ratio < 1 / SAME_SIZE)

    def broken_line(self, run: Sequence[int]) -> list[int]:
        """The longest beginning of the run that is one line of a column, empty where there is none."""
        for end in range(len(run), 1, -1):
            part = list(run[:end])
            if self._is_crossed(part) and self._is_even(part) and not self._is_parted(part):
                return part
        return []

    def _nearby(self, part: Sequence[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """What stands in the rows directly above and below, within the part's width."""
        first, last = part[0], part[-1]
        step = self.middles - self.middles[first]
        meets = (self.corners[:, 0] < self.corners[last, 2]) & (self.corners[:, 2] > self.corners[first, 0])
        reach = ROW_REACH * self.heights[first]
        least = 0.4 * self.heights[first]
        found = []
        for distance in (-step, step):
            row = np.flatnonzero(meets & (distance > least) & (distance < reach))
            nearest = distance[row].min() if len(row) else 0.0
            found.append(row[distance[row] < nearest + least])
        return found[0], found[1]

    def _is_crossed(self, part: Sequence[int]) -> bool:
        """Whether an unbroken line above or below has the part's edges; the first row may be indented."""
        height = self.heights[part[0]]
        like = self._like(part[0])
        left, right = self.corners[part[0], 0], self.corners[part[-1], 2]
        if right - left < NARROWEST_COLUMN * height or not any(map(str.isalpha, self.lines[part[-1]].text)):
            return False
        return any(
            like[i]
            and abs(self.corners[i, 0] - left) < MOST_INDENT * height
            and abs(self.corners[i, 2] - right) < EDGE_SLACK * height
            and self.corners[i, 0] < self.corners[part[0], 2]
            for row in self._nearby(part)
            for i in row
        )

    def _is_even(self, part: Sequence[int]) -> bool:
        """Whether the gaps between the pieces are like the word spaces within them, where those are known."""
        between = [high - low for low, high in self._gaps(part)]
        within = [gap for i in part for gap in _spaces(self.lines[i])]
        if len(within) < 2:
            return True
        return max(between) < MOST_UNEVEN * float(np.median(within))

    def _is_parted(self, part: Sequence[int]) -> bool:
        """Whether the row above or below has one of the gaps as well: as wide, or with the next box flush."""
        slack = EDGE_SLACK * self.heights[part[0]]
        gaps = self._gaps(part)
        for row in self._nearby(part):
            for low, high in self._gaps(row[np.argsort(self.corners[row, 0])]):
                for x0, x1 in gaps:
                    shared = min(high, x1) - max(low, x0)
                    if shared > 0.5 * max(x1 - x0, high - low) or abs(high - x1) < slack:
                        return True
        return False

    def _gaps(self, row: Sequence[int] | NDArray[np.intp]) -> list[tuple[float, float]]:
        """From where to where it is white between the boxes of a row, from left to right."""
        return [(self.corners[a, 2], self.corners[b, 0]) for a, b in pairwise(row)]


def _spaces(line: TextLine) -> list[float]:
    boxes: list[BBox] = [word.bbox for word in line.words]
    return [b.x0 - a.x1 for a, b in pairwise(boxes)]
