"""Boxes on a page: overlaps, rows, crops, turns."""

from __future__ import annotations

import numpy as np
import pytest

from galley.document import BBox
from galley.geometry import (
    corners_of,
    crop,
    overlap_x,
    overlap_y,
    rows,
    shared_height,
    shared_width,
    shifted,
    turned,
)


def box(x0: float, y0: float, x1: float, y1: float) -> BBox:
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)


def test_overlaps_are_parts_of_the_smaller_side() -> None:
    a, b = box(0, 0, 100, 10), box(80, 5, 120, 45)
    assert (shared_width(a, b), shared_height(a, b)) == (20, 5)
    assert (overlap_x(a, b), overlap_y(a, b)) == (0.5, 0.5)
    assert overlap_x(a, shifted(b, 40, 0)) < 0


def test_rows_run_from_top_to_bottom_and_left_to_right() -> None:
    boxes = [box(50, 101, 90, 121), box(0, 40, 30, 60), box(0, 100, 40, 120)]
    assert rows(boxes) == [[1], [2, 0]]
    assert rows(boxes, [7, 8, 9]) == [[8], [9, 7]]


def test_a_crop_is_never_empty() -> None:
    image = np.zeros((40, 60, 3), np.uint8)
    assert crop(image, box(10.4, 5.6, 20.6, 9.4)).shape == (4, 11, 3)
    assert crop(image, box(500, 500, 600, 600)).shape == (1, 1, 3)


@pytest.mark.parametrize(
    ("clockwise", "expected"), [(90, (160, 10, 180, 40)), (180, (60, 160, 90, 180)), (270, (20, 60, 40, 90))]
)
def test_a_box_turns_with_its_page(clockwise: int, expected: tuple[float, ...]) -> None:
    page = np.zeros((200, 100), np.uint8)
    page[20:40, 10:40] = 1
    found = turned(box(10, 20, 40, 40), clockwise, 100, 200)
    assert tuple(corners_of([found])[0]) == expected
    ys, xs = np.nonzero(np.rot90(page, -clockwise // 90))
    assert (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1) == expected
