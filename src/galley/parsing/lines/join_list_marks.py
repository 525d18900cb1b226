"""Pass: marks of list items joined to the text they stand before.

A mark is set well apart from its item, so a reader of lines gives it as a line of its own; left so, marks look
like a table's first column.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from galley.drafters.line import TextLine
from galley.geometry import corners_of
from galley.parsing.lines.merge import merge_pieces
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.text.markers import BULLETS

_DASHES = "-–—*·"
_SURE = frozenset(BULLETS) - frozenset(_DASHES)
# Word processors draw the circle of a second level with this letter.
_CIRCLE = {"o": "◦"}
_NUMBER = re.compile(
    r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxl]{1,5}|[IVXL]{1,5})[.)]"
    r"|\.\d{1,2}|(?:\d{1,2}\.){1,4}\d{1,2}\.?|§{1,2}\s?\d{1,4}[a-z]?\.?"  # numbers of clauses
)
MARK_REACH = 4.0
"""Farthest from a mark to its item, in heights of the item's line."""
FAR_REACH = 10.0
"""The same where the item begins where the item of another mark does."""
SAME_EDGE = 0.3
"""In heights of the item's line: how far left edges of such items differ."""
CELL_REACH = 8.0
"""Farthest that cells of a table's row are apart, in heights of the line."""
LEAST_ITEM_CHARS = 15
"""Characters of a line that is too long to be a cell."""


def join_list_marks(page: PageState, tools: PageTools) -> None:
    """Join each bullet or number that stands alone to the text right of it.

    Reads: lines.
    Changes: lines.
    """
    page.lines = joined_list_marks(page.lines)


def joined_list_marks(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines in their order; a mark that stands alone and the text right of it are one line."""
    rows = _Rows(lines)
    whole: dict[int, TextLine] = {}
    gone: set[int] = set()
    marks = {i: mark for i, line in enumerate(lines) if (mark := _mark(line.text))}
    items = rows.items_of(marks)
    for i, line in enumerate(lines):
        mark, item = marks.get(i), items.get(i)
        if mark and item is not None and item not in gone:
            whole[min(i, item)] = merge_pieces([replace(line, text=mark, size=lines[item].size), lines[item]])
            gone |= {i, item}
    return [whole.get(i, line) for i, line in enumerate(lines) if i not in gone or i in whole]


def _mark(text: str) -> str | None:
    """The mark a line is, spelled as what is drawn; None for any other line."""
    text = text.strip()
    if text in _CIRCLE:
        return _CIRCLE[text]
    known = len(text) == 1 and text in BULLETS + _DASHES
    return text if known or _NUMBER.fullmatch(text) else None


class _Rows:
    """What stands beside each line."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.lines = lines
        self.corners = corners_of([line.bbox for line in lines])

    def items_of(self, marks: Mapping[int, str]) -> dict[int, int]:
        """The line that each mark stands before, for those that stand before one."""
        found = {i: self._item_of(i, MARK_REACH, certain=mark in _SURE) for i, mark in marks.items()}
        far = {
            i: self._item_of(i, FAR_REACH, certain=mark in _SURE)
            for i, mark in marks.items()
            if found[i] is None
        }
        for i, item in far.items():
            others = [other for n, other in (found | far).items() if n != i and other is not None]
            if item is not None and any(self._same_edge(item, other) for other in others):
                found[i] = item
        return {i: item for i, item in found.items() if item is not None}

    def _same_edge(self, a: int, b: int) -> bool:
        return abs(self.corners[a, 0] - self.corners[b, 0]) < SAME_EDGE * self._height(a)

    def _item_of(self, i: int, reach: float, *, certain: bool) -> int | None:
        """The line that line ``i`` is the mark of.

        Args:
            i: The line's index.
            reach: Farthest it may stand, in heights of the line.
            certain: It cannot be anything but a mark.
        """
        right = self._beside(i, right=True)
        if right is None or self._gap(i, right) > reach * self._height(right):
            return None
        if not any(map(str.isalpha, self.lines[right].text)) or self.corners[i, 0] >= self.corners[right, 0]:
            return None
        return right if certain or not self._in_table(i, right) else None

    def _in_table(self, i: int, item: int) -> bool:
        """Whether the mark may be a cell: more cells stand in its row, and the item is as short as one."""
        left, right = self._beside(i, right=False), self._beside(item, right=True)
        reach = CELL_REACH * self._height(item)
        crowded = (left is not None and self._gap(left, i) < reach) or (
            right is not None and self._gap(item, right) < reach
        )
        return crowded and len(self.lines[item].text) < LEAST_ITEM_CHARS

    def _beside(self, i: int, *, right: bool) -> int | None:
        """The nearest line on the same row to one side."""
        x0, y0, x1, y1 = self.corners.T
        middle = (y0[i] + y1[i]) / 2
        level = (y0 < middle) & (middle < y1)
        gap = x0 - x1[i] if right else x0[i] - x1
        found = np.flatnonzero(level & (gap > 0))
        return int(found[np.argmin(gap[found])]) if len(found) else None

    def _gap(self, left: int, right: int) -> float:
        return float(self.corners[right, 0] - self.corners[left, 2])

    def _height(self, i: int) -> float:
        return float(self.corners[i, 3] - self.corners[i, 1])
