"""A picture's connected pieces of ink, and neighbouring ones that together may be one sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from galley.drafters.formulas.glyph_boxes import Box, hull

_INK = 48
_FRINGE = 25
_NOISE = 2.0
"""standard deviations of the paper's tone that are not ink"""
_MOST_SPECKS, _MOST_PIECES, _MOST_GROUPS = 20_000, 500, 3000
"""More is no formula but a picture or noise, and would take long."""
_LARGEST_SIGN = 3.0
"""usual heights, of signs that are printed in several pieces one within the other"""

Gray = NDArray[np.uint8]
Labels = NDArray[np.int32]


@dataclass(frozen=True)
class Component:
    """Numbers of connected components that may be one symbol, and their box."""

    parts: tuple[int, ...]
    box: Box

    @property
    def area(self) -> tuple[slice, slice]:
        """Rows and columns of the picture that it lies in."""
        box = self.box
        return slice(int(box.y0), int(box.y1)), slice(int(box.x0), int(box.x1))


def ink_of(gray: Gray) -> Gray:
    """How dark each pixel is between the paper's tone and the print's, 0 to 255."""
    print_, middle, high = np.percentile(gray, (0.5, 50, 84))
    # What is lighter than the middle is paper alone, so it tells how uneven the paper is.
    paper = middle - _NOISE * (high - middle)
    return np.clip((paper - gray.astype(np.float32)) * 255 / max(paper - print_, 60), 0, 255).astype(np.uint8)


def components_of(ink: Gray) -> tuple[Labels, list[Component]]:
    """The number of each pixel's piece (height, width), 0 for paper, and the pieces without specks of dust.

    None where there are too many for a formula.
    """
    labels, count = ndimage.label(ink > _INK, np.ones((3, 3)))
    if count > _MOST_SPECKS:
        return labels, []
    boxes = ndimage.find_objects(labels)
    areas = ndimage.sum_labels(ink > _INK, labels, np.arange(1, count + 1))
    heights = [box[0].stop - box[0].start for box in boxes]
    speck = (0.06 * float(np.median(heights))) ** 2 if heights else 0.0
    pieces = [
        Component((number,), Box(columns.start, rows.start, columns.stop, rows.stop))
        for number, (rows, columns) in enumerate(boxes, 1)
        if areas[number - 1] > max(speck, 2)
    ]
    return labels, pieces if len(pieces) <= _MOST_PIECES else []


def picture_of(ink: Gray, labels: Labels, piece: Component) -> Gray:
    """The ink of a piece alone, its soft edge included."""
    area = piece.area
    own = np.isin(labels[area], piece.parts)
    edge = ndimage.binary_dilation(own) & (labels[area] == 0) & (ink[area] > _FRINGE)
    return np.where(own | edge, ink[area], 0).astype(np.uint8)


def usual_height(pieces: Sequence[Component]) -> float:
    """Median height of the pieces in pixels."""
    return float(np.median([piece.box.height for piece in pieces]))


def groups_of(pieces: Sequence[Component]) -> list[Component]:
    """Two or three neighbouring pieces that may be one sign, like those of ``i``, ``=`` or ``Xi``."""
    usual = usual_height(pieces)
    numbers = range(len(pieces))
    pairs = [
        (i, j) for i in numbers for j in numbers[i + 1 :] if _may_join(pieces[i].box, pieces[j].box, usual)
    ]
    near: dict[int, set[int]] = {}
    for i, j in pairs:
        near.setdefault(i, set()).add(j)
        near.setdefault(j, set()).add(i)
    chosen = {tuple(sorted(pair)) for pair in pairs}
    if sum(len(near[i]) + len(near[j]) for i, j in pairs) <= _MOST_GROUPS:
        chosen |= {tuple(sorted({i, j, k})) for i, j in pairs for k in (near[i] | near[j]) - {i, j}}
    return [_joined([pieces[number] for number in group]) for group in sorted(chosen)[:_MOST_GROUPS]]


def _joined(pieces: Sequence[Component]) -> Component:
    parts = tuple(sorted(part for piece in pieces for part in piece.parts))
    return Component(parts, hull(piece.box for piece in pieces))


def _may_join(a: Box, b: Box, usual: float) -> bool:
    size = max(a.width, a.height, b.width, b.height)
    if a.holds(b) or b.holds(a):
        return size < _LARGEST_SIGN * usual
    gap = -a.overlap_y(b)
    if a.is_flat and b.is_flat:  # an equals sign, but not a fraction's bar and another line
        return a.overlap_x(b) > 0.8 * max(a.width, b.width) and gap < 0.5 * min(a.width, usual)
    # The dots of a colon are far apart for their size.
    apart = 0.7 * usual if size < 0.4 * usual else 0.8 * size
    over = a.overlap_x(b) > 0.5 * min(a.width, b.width) and gap < apart
    across = a.overlap_y(b) > 0.8 * max(a.height, b.height)
    return over or (across and -a.overlap_x(b) < 0.35 * size)
