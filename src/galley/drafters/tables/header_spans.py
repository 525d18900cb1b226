"""Headings over several columns that are shorter than what they head."""

from __future__ import annotations

from galley.drafters.tables.cells import Place, Places
from galley.drafters.tables.frame import Frame
from galley.drafters.tables.pieces import Piece

LEADING_ROWS = 4
"""Group headings stand in the first rows."""


def spread_headings(frame: Frame, places: Places, em: float) -> None:
    """Give a heading the empty places beside it that it is centred over, or that a rule drawn under it takes in."""
    for r in range(min(LEADING_ROWS, len(frame.rows) - 1)):
        below = frame.rows[r + 1].columns
        heads = sorted(
            {id(p): p for p in (places.at(r, c) for c in range(frame.cols))}.values(), key=lambda p: p.left
        )
        taken = 0
        for i, head in enumerate(heads):
            if not head.pieces or head.bottom > r:
                continue
            low = max([taken, *(other.right + 1 for other in heads[:i] if other.pieces or other.bottom > r)])
            high = (
                min(
                    [
                        frame.cols,
                        *(other.left for other in heads[i + 1 :] if other.pieces or other.bottom > r),
                    ]
                )
                - 1
            )
            first, last = _ruled(head, frame, r, low, high) or _centred(head, frame, low, high, below, em)
            if (first, last) != (head.left, head.right):
                places.merge(r, first, r, last)
            taken = last + 1


def _ruled(head: Place, frame: Frame, r: int, low: int, high: int) -> tuple[int, int] | None:
    """Columns over a rule that is drawn under the heading and only under part of the table."""
    mark = frame.above[r + 1]
    x0, x1 = min(p.x0 for p in head.pieces), max(p.x1 for p in head.pieces)
    for rule in mark.rules if mark else []:
        if rule.start > (x0 + x1) / 2 or rule.end < (x0 + x1) / 2:
            continue
        under = [c for c in range(frame.cols) if _mostly_over(frame, c, rule.start, rule.end)]
        inside = [c for c in under if low <= c <= high]
        if len(under) < frame.cols and inside and inside[0] <= head.left and head.right <= inside[-1]:
            return inside[0], inside[-1]
    return None


def _mostly_over(frame: Frame, c: int, start: float, end: float) -> bool:
    left, right = frame.core(c)
    return min(end, right) - max(start, left) > 0.5 * max(1.0, right - left)


def _centred(head: Place, frame: Frame, low: int, high: int, below: set[int], em: float) -> tuple[int, int]:
    """The widest stretch of columns, all used in the row below, whose middle is the heading's."""
    center = _center(head.pieces)
    best = head.left, head.right
    for first in range(low, head.left + 1):
        for last in range(head.right, high + 1):
            if not set(range(first, last + 1)) <= below:
                continue
            left, right = frame.core(first)[0], frame.core(last)[1]
            wide = last - first > best[1] - best[0]
            if wide and abs((left + right) / 2 - center) < max(0.6 * em, 0.04 * (right - left)):
                best = first, last
    return best


def _center(pieces: list[Piece]) -> float:
    return (min(p.x0 for p in pieces) + max(p.x1 for p in pieces)) / 2
