"""Reading order of boxes: a recursive XY-cut (Nagy and Seth, 1984) that looks for columns before rows.

A plain XY-cut reads aligned paragraphs of two columns across. Here horizontal bands are first joined into *runs* that
share a gutter, so that only a box crossing the gutter (a title, a wide table) ends a column run. Boxes that no straight
cut separates are sorted by the precedence rules of Breuel (2003, section 4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.geometry import rows

Span = tuple[float, float]

MANY = 10
"""Boxes beside which a gap cannot be chance, however narrow."""
NARROW = 0.2
"""Least white space between columns of many boxes, as a part of the gutter."""
SLIVER = 0.1
"""Part of the whole's width or height below which a group of boxes is no column of its own."""


@dataclass
class Strip:
    """Boxes read one after another: indices in reading order.

    Attributes:
        rowwise: Read across, row by row, as in a table.
    """

    indices: list[int]
    rowwise: bool = False


Rowwise = Callable[[list[list[int]]], bool]


def reading_order(boxes: Sequence[BBox], gutter: float) -> list[int]:
    """The order in which boxes are read.

    Args:
        boxes: In any order.
        gutter: Least white space between columns, in pixels.

    Returns:
        A permutation of ``range(len(boxes))``.
    """
    return [index for strip in strips(boxes, gutter) for index in strip.indices]


def strips(boxes: Sequence[BBox], gutter: float, rowwise: Rowwise | None = None) -> list[Strip]:
    """Single-column sequences of boxes in reading order.

    Args:
        boxes: In any order.
        gutter: Least white space between columns, in pixels.
        rowwise: Asked for each set of columns found (indices per column); True reads them across instead.

    Returns:
        The sequences in reading order; each index of ``boxes`` occurs in one of them.
    """
    found: list[Strip] = []
    _Cutter(boxes, gutter, rowwise).cut(list(range(len(boxes))), found)
    return found


class _Cutter:
    def __init__(self, boxes: Sequence[BBox], gutter: float, rowwise: Rowwise | None) -> None:
        self.boxes = boxes
        self.gutter = gutter
        self.rowwise = rowwise

    def cut(self, members: list[int], found: list[Strip]) -> None:
        if not members:
            return
        columns = self._columns(members)
        bands = self._bands(members)
        stray = self._stray(columns, bands)
        if stray is not None:
            for group in (bands[:stray], bands[stray : stray + 1], bands[stray + 1 :]):
                self.cut(_flat(group), found)
            return
        if len(columns) > 1:
            across = self.rowwise is not None and self.rowwise(columns)
            # What reads across may still be several things one below the other, each to be judged by itself.
            parts = self._parted(members) if across else columns
            if len(parts) > 1:
                for part in parts:
                    self.cut(part, found)
            else:
                found.append(Strip(self._by_rows(members), rowwise=True))
            return
        runs = self._with_narrow(self._runs(bands, self.gutter))
        if len(runs) > 1:
            for run in runs:
                self.cut(_flat(run), found)
        elif len(bands) == len(members):
            found.append(Strip([band[0] for band in bands]))
        else:
            found.append(Strip(_precedence(self.boxes, members)))

    def _columns(self, members: list[int]) -> list[list[int]]:
        """Split by white space of at least a gutter's width that runs from top to bottom."""
        spans = [(self.boxes[i].x0, self.boxes[i].x1) for i in members]
        # A narrow gap beside many boxes cannot be chance; beside a few it may be a space between words.
        return _split(members, spans, self.gutter * (NARROW if len(members) >= MANY else 1.0))

    def _stray(self, columns: list[list[int]], bands: list[list[int]]) -> int | None:
        """The band that holds all of a would-be column, such as the page number beside a running header.

        Too little beside all the rest to be a column.
        """
        if len(columns) < 2 or len(bands) < 2:
            return None
        width, height = self._extent(_flat(bands))
        if self._stands_off(bands[-1], bands[-2], width):
            return len(bands) - 1
        for column in columns:
            home = [b for b, band in enumerate(bands) if not set(band).isdisjoint(column)]
            across, down = self._extent(column)
            if len(home) == 1 and (across < SLIVER * width or down < SLIVER * height):
                return home[0]
        return None

    def _stands_off(self, band: list[int], above: list[int], width: float) -> bool:
        """A single narrow box well below all else, such as a page number under columns."""
        across, down = self._extent(band)
        step = min(self.boxes[i].y0 for i in band) - max(self.boxes[i].y1 for i in above)
        return len(band) == 1 and across < SLIVER * width and step > 2 * down

    def _extent(self, members: list[int]) -> tuple[float, float]:
        found = [self.boxes[i] for i in members]
        width = max(box.x1 for box in found) - min(box.x0 for box in found)
        return width, max(box.y1 for box in found) - min(box.y0 for box in found)

    def _parted(self, members: list[int]) -> list[list[int]]:
        """Split by blank bands taller than a usual box."""
        spans = [(self.boxes[i].y0, self.boxes[i].y1) for i in members]
        return _split(members, spans, float(np.median([self.boxes[i].height for i in members])))

    def _bands(self, members: list[int]) -> list[list[int]]:
        """Split by white space from left to right; boxes may overlap by a fifth of the smaller height."""
        spans = []
        for i in members:
            slack = 0.1 * self.boxes[i].height
            spans.append((self.boxes[i].y0 + slack, self.boxes[i].y1 - slack))
        return _split(members, spans, 0.0)

    def _runs(self, bands: list[list[int]], least: float) -> list[list[list[int]]]:
        """Consecutive bands joined while one gutter runs through all of them.

        The gutter is at least ``least`` pixels wide and has boxes on both its sides.
        """
        runs: list[list[list[int]]] = []
        gaps: list[Span] = []
        for band in bands:
            left = _intersect(gaps, self._free(band, least), least) if runs and gaps else []
            if left and self._stray(self._columns(_flat([*runs[-1], band])), [*runs[-1], band]) is None:
                runs[-1].append(band)
                gaps = left
            elif runs and not gaps and not self._inner_gaps(band, least):
                # Two boxes that stand apart, one lower than the other, may be the tops of two columns.
                runs[-1].append(band)
                gaps = self._inner_gaps(_flat(runs[-1]), least)
            else:
                runs.append([band])
                gaps = self._inner_gaps(band, least)
        return runs

    def _with_narrow(self, runs: list[list[list[int]]]) -> list[list[list[int]]]:
        """The runs; short ones in succession become one where a narrow gutter parts them into columns.

        Newspapers set columns hardly a word space apart, which only many rows together tell from chance.
        """
        parts: list[list[list[int]]] = []
        waiting: list[list[list[int]]] = []
        for run in [*runs, None]:
            if run is not None and len(_flat(run)) < MANY:
                waiting.append(run)
                continue
            parts += self._narrow(waiting)
            waiting = []
            if run is not None:
                parts.append(run)
        return parts

    def _narrow(self, runs: list[list[list[int]]]) -> list[list[list[int]]]:
        found = self._runs([band for run in runs for band in run], self.gutter * NARROW)
        if any(self._has_columns(run) for run in found):
            return found
        return runs

    def _has_columns(self, run: list[list[int]]) -> bool:
        members = _flat(run)
        return len(members) >= MANY and len(self._columns(members)) > 1

    def _inner_gaps(self, members: list[int], least: float) -> list[Span]:
        return self._free(members, least)[1:-1]

    def _free(self, members: list[int], least: float) -> list[Span]:
        """Intervals of x of at least ``least`` pixels that no member covers, from minus to plus infinity."""
        free: list[Span] = []
        edge = float("-inf")
        for x0, x1 in sorted((self.boxes[i].x0, self.boxes[i].x1) for i in members):
            if edge == float("-inf") or x0 - edge >= least:
                free.append((edge, x0))
            edge = max(edge, x1)
        return [*free, (edge, float("inf"))]

    def _by_rows(self, members: list[int]) -> list[int]:
        return [i for row in rows([self.boxes[i] for i in members], members) for i in row]


def _intersect(a: list[Span], b: list[Span], least: float) -> list[Span]:
    shared = [(max(p[0], q[0]), min(p[1], q[1])) for p in a for q in b]
    return [span for span in shared if span[1] - span[0] >= least]


def _flat(bands: list[list[int]]) -> list[int]:
    return [i for band in bands for i in band]


def _split(members: list[int], spans: list[Span], least: float) -> list[list[int]]:
    """Groups of members whose spans touch, in order; groups are at least ``least`` apart."""
    groups: list[list[int]] = []
    edge = float("-inf")
    for (low, high), member in sorted(zip(spans, members, strict=True)):
        if not groups or low - edge > least:
            groups.append([])
        groups[-1].append(member)
        edge = max(edge, high)
    return groups


def _precedence(boxes: Sequence[BBox], members: list[int]) -> list[int]:
    """Topological order: above before below where x overlaps, left before right unless a wide box comes between.

    Cycles, which overlapping boxes can make, are broken at the topmost box.
    """
    corners = np.array([[boxes[i].x0, boxes[i].y0, boxes[i].x1, boxes[i].y1] for i in members])
    first = _precedes(corners)
    waiting = [int(i) for i in np.lexsort((corners[:, 0], corners[:, 1]))]
    order: list[int] = []
    while waiting:
        blocked = first[waiting][:, waiting].any(axis=0)
        at = int(np.argmin(blocked))  # the topmost that nothing precedes, or the topmost of all
        order.append(members[waiting.pop(at)])
    return order


def _precedes(corners: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(n, n): whether box a must be read before box b, for boxes (n, 4)."""
    x0, x1 = corners[:, 0], corners[:, 2]
    middle = (corners[:, 1] + corners[:, 3]) / 2
    width = x1 - x0
    narrower = np.minimum(width[:, None], width[None, :])
    shared = np.minimum(x1[:, None], x1[None, :]) - np.maximum(x0[:, None], x0[None, :])
    over = shared > 0.1 * narrower
    left = ~over & (x1[:, None] <= x0[None, :] + 0.1 * narrower)
    precedes = over & (middle[:, None] < middle[None, :])
    for a in range(len(corners)):
        low = np.minimum(middle[a], middle)
        high = np.maximum(middle[a], middle)
        # wide[c, b]: c overlaps both a and b in x and lies between them.
        wide = over[a][:, None] & over & (low < middle[:, None]) & (middle[:, None] < high)
        wide[a] = False
        np.fill_diagonal(wide, False)
        precedes[a] |= left[a] & ~wide.any(axis=0)
    return precedes
