"""Boxes on a page: overlaps, rows of text, crops. Everything that asks where things stand asks here.

Boxes are ``BBox``: ``x0, y0, x1, y1`` in page-image pixels, origin top left, y down. Images are (height, width, 3)
uint8 RGB.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox

_Float = TypeVar("_Float", np.float32, np.float64)


def corners_of(boxes: Sequence[BBox]) -> NDArray[np.float64]:
    """The boxes as an array (n, 4) of ``x0, y0, x1, y1``."""
    return np.array([[box.x0, box.y0, box.x1, box.y1] for box in boxes], np.float64).reshape(-1, 4)


def shared_width(a: BBox, b: BBox) -> float:
    """Pixels that both boxes share from left to right, negative where they are apart."""
    return min(a.x1, b.x1) - max(a.x0, b.x0)


def shared_height(a: BBox, b: BBox) -> float:
    """Pixels that both boxes share from top to bottom, negative where they are apart."""
    return min(a.y1, b.y1) - max(a.y0, b.y0)


def overlap_x(a: BBox, b: BBox) -> float:
    """Shared width as a part of the smaller width; negative where the boxes are apart."""
    return shared_width(a, b) / max(1e-6, min(a.width, b.width))


def overlap_y(a: BBox, b: BBox) -> float:
    """Shared height as a part of the smaller height; negative where the boxes are apart."""
    return shared_height(a, b) / max(1e-6, min(a.height, b.height))


def shifted(box: BBox, x: float, y: float) -> BBox:
    """The box moved right by ``x`` and down by ``y`` pixels."""
    return BBox(x0=box.x0 + x, y0=box.y0 + y, x1=box.x1 + x, y1=box.y1 + y)


def crop(image: NDArray[np.uint8], bbox: BBox) -> NDArray[np.uint8]:
    """The part of a (height, width, 3) image within a box, at least one pixel large."""
    height, width = image.shape[:2]
    x0, y0 = min(width - 1, max(0, int(bbox.x0))), min(height - 1, max(0, int(bbox.y0)))
    return image[y0 : max(y0 + 1, round(bbox.y1)), x0 : max(x0 + 1, round(bbox.x1))]


def rows(boxes: Sequence[BBox], names: Sequence[int] | None = None) -> list[list[int]]:
    """Boxes grouped into text rows, top to bottom, each from left to right.

    A box joins a row when its middle lies within the row's first box or the other way round.

    Args:
        boxes: In any order.
        names: What to call the boxes in the result; their indices unless given.
    """
    names = names if names is not None else range(len(boxes))
    found: list[tuple[BBox, list[tuple[float, int]]]] = []
    for box, name in sorted(zip(boxes, names, strict=True), key=lambda pair: pair[0].center[1]):
        middle = box.center[1]
        if found and (
            found[-1][0].y0 <= middle <= found[-1][0].y1 and box.y0 <= found[-1][0].center[1] <= box.y1
        ):
            found[-1][1].append((box.x0, name))
        else:
            found.append((box, [(box.x0, name)]))
    return [[name for _, name in sorted(row)] for _, row in found]


def turned(box: BBox, clockwise: int, width: int, height: int) -> BBox:
    """The box on a ``width`` × ``height`` page turned clockwise by 90, 180 or 270 degrees."""
    x0, y0, x1, y1 = map(
        float, turned_corners(corners_of([box]).astype(np.float32), clockwise, width, height)[0]
    )
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)


def turned_corners(boxes: NDArray[_Float], clockwise: int, width: int, height: int) -> NDArray[_Float]:
    """Boxes (n, 4) on a ``width`` × ``height`` page turned clockwise by 90, 180 or 270 degrees."""
    x0, y0, x1, y1 = boxes.T
    if clockwise == 90:
        return np.stack([height - y1, x0, height - y0, x1], axis=1)
    if clockwise == 180:
        return np.stack([width - x1, height - y1, width - x0, height - y0], axis=1)
    return np.stack([y0, width - x1, y1, width - x0], axis=1)
