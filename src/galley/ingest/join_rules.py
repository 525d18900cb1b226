"""Pieces of ruling lines joined: drawn cell by cell, dashed or dotted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_SAME_LINE = 1.0
"""Pixels between the middles of pieces of one line."""
_TOUCH = 1.5
"""Pixels between the ends of pieces that touch."""
_DASH = 8.0
"""Points, the longest dash."""
_DASH_GAP = 5.0
"""Points, the widest space between dashes."""
_DASHES = 4
"""Least dots or dashes in a row that are a line."""
_UNEVEN = 1.5
"""Pixels by which the spaces between dashes differ at most."""
_LEAST_SHAPE = 1.8
"""Times its thickness that a line is long; less is a dot."""

Boxes = NDArray[np.float64]


def joined_rules(boxes: Boxes, colours: NDArray[np.float64], scale: float) -> tuple[Boxes, Boxes]:
    """(m, 4) boxes of thin shapes in pixels as (r, 4) whole lines, and their (r, 3) colours.

    scale: pixels in a point. Of the pieces of a line, the first gives the colour. Dots that make no line are left out.
    """
    if not len(boxes):
        return boxes, colours
    sides = boxes[:, 2:] - boxes[:, :2]
    dots = sides.max(axis=1) <= 2 * np.maximum(sides.min(axis=1), 0.5)
    level = sides[:, 0] >= sides[:, 1]
    found = [
        _joined(boxes[level | dots], colours[level | dots], scale),
        _joined(boxes[~level | dots][:, [1, 0, 3, 2]], colours[~level | dots], scale),
    ]
    whole = np.concatenate([found[0][0], found[1][0][:, [1, 0, 3, 2]]])
    return whole, np.concatenate([found[0][1], found[1][1]])


def _joined(boxes: Boxes, colours: Boxes, scale: float) -> tuple[Boxes, Boxes]:
    """Level pieces joined."""
    if not len(boxes):
        return boxes, colours
    middles = (boxes[:, 1] + boxes[:, 3]) / 2
    order = np.argsort(middles, kind="stable")
    lines = np.zeros(len(boxes), int)
    lines[order] = np.cumsum(np.diff(middles[order], prepend=middles[order][0]) > _SAME_LINE)
    runs = _runs(boxes, np.lexsort((boxes[:, 0], lines)), lines)
    whole, paint = _whole(boxes, colours, runs)
    long = whole[:, 2] - whole[:, 0] > _LEAST_SHAPE * np.maximum(whole[:, 3] - whole[:, 1], 0.5)
    dashes = _dashes(whole, scale)
    dashed, dashed_paint = _whole(whole, paint, dashes)
    used = np.zeros(len(whole), bool)
    used[[i for run in dashes for i in run]] = True
    solid = long & ~used
    return np.concatenate([whole[solid], dashed]), np.concatenate([paint[solid], dashed_paint])


def _runs(boxes: Boxes, order: NDArray[np.int64], lines: NDArray[np.int64]) -> list[list[int]]:
    """Indices of pieces that touch or overlap. order: by line, then from left to right."""
    runs: list[list[int]] = []
    line, end = -1, 0.0
    for i, of, left, right in zip(
        order.tolist(), lines[order].tolist(), boxes[order, 0].tolist(), boxes[order, 2].tolist(), strict=True
    ):
        if of == line and left <= end + _TOUCH:
            runs[-1].append(i)
            end = max(end, right)
        else:
            runs.append([i])
            line, end = of, right
    return runs


def _dashes(boxes: Boxes, scale: float) -> list[list[int]]:
    """Indices of short pieces in a row with even spaces; boxes from line to line and left to right."""
    found: list[list[int]] = []
    run: list[int] = []
    for i in range(len(boxes)):
        if run and not _follows(boxes, run, i, scale):
            found.append(run)
            run = []
        if boxes[i, 2] - boxes[i, 0] <= _DASH * scale:
            run.append(i)
    return [run for run in [*found, run] if len(run) >= _DASHES]


def _follows(boxes: Boxes, run: list[int], i: int, scale: float) -> bool:
    last = boxes[run[-1]]
    gap = boxes[i, 0] - last[2]
    first_gap = boxes[run[1], 0] - boxes[run[0], 2] if len(run) > 1 else gap
    return bool(
        boxes[i, 2] - boxes[i, 0] <= _DASH * scale
        and abs(boxes[i, 1] + boxes[i, 3] - last[1] - last[3]) <= 2 * _SAME_LINE
        and 0 < gap <= _DASH_GAP * scale
        and abs(gap - first_gap) <= _UNEVEN
    )


def _whole(boxes: Boxes, colours: Boxes, runs: list[list[int]]) -> tuple[Boxes, Boxes]:
    """The boxes around runs of pieces, with the first one's colour."""
    if not runs:
        return np.zeros((0, 4)), np.zeros((0, 3))
    starts = np.cumsum([0, *(len(run) for run in runs[:-1])])
    flat = boxes[np.concatenate(runs)]
    low, high = np.minimum.reduceat(flat, starts), np.maximum.reduceat(flat, starts)
    return np.stack([low[:, 0], low[:, 1], high[:, 2], high[:, 3]], axis=1), colours[[run[0] for run in runs]]
