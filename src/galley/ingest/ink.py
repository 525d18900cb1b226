"""How much of what looks like text on a page lies outside of given boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from galley.document import BBox

_WORKING_HEIGHT = 1100
"""Rows the page is reduced to, about 100 dpi on A4: enough to see letters, and quick."""
_CONTRAST = 40
_BLOCK = 24
"""Side of the squares whose median is the paper; text covers less than half of a square."""
_LETTER_HEIGHT = (3, 30)
_LETTER_WIDTH = (1, 120)


@dataclass(frozen=True)
class Ink:
    """inside: ink pixels within the boxes. outside: those of letter-sized marks elsewhere; marks: how
    many."""

    inside: int
    outside: int
    marks: int


def weigh_ink(image: NDArray[np.uint8], boxes: Sequence[BBox]) -> Ink:
    """Compare the ink in ``boxes`` with what else looks like text. image: (height, width, 3) uint8.

    Photographs and line art give letter-sized marks as well.
    """
    factor = max(1, round(image.shape[0] / _WORKING_HEIGHT))
    grey = np.asarray(Image.fromarray(image).convert("L").reduce(factor), dtype=np.int16)
    ink = np.abs(grey - _paper(grey)) > _CONTRAST
    boxed = _mask(boxes, factor, grey.shape)
    labels, count = ndimage.label(ink & ~boxed, np.ones((3, 3), dtype=bool))
    letters = np.zeros(count + 1, dtype=bool)
    for label, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        letters[label] = _between(rows.stop - rows.start, _LETTER_HEIGHT) and _between(
            columns.stop - columns.start, _LETTER_WIDTH
        )
    outside = int(np.bincount(labels.ravel(), minlength=count + 1)[letters].sum())
    return Ink(int(np.count_nonzero(ink & boxed)), outside, int(letters.sum()))


def _paper(grey: NDArray[np.int16]) -> NDArray[np.int16]:
    """The local background of (height, width) grey levels, blockwise."""
    height, width = grey.shape
    padded = np.pad(grey, ((0, -height % _BLOCK), (0, -width % _BLOCK)), mode="edge")
    rows, columns = padded.shape[0] // _BLOCK, padded.shape[1] // _BLOCK
    blocks = padded.reshape(rows, _BLOCK, columns, _BLOCK)
    medians = np.median(blocks, axis=(1, 3)).astype(np.int16)
    return medians.repeat(_BLOCK, axis=0).repeat(_BLOCK, axis=1)[:height, :width]


def _between(value: int, limits: tuple[int, int]) -> bool:
    return limits[0] <= value <= limits[1]


def _mask(boxes: Sequence[BBox], factor: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(shape, dtype=bool)
    for box in boxes:
        y0, x0 = max(0, int(box.y0 / factor) - 1), max(0, int(box.x0 / factor) - 1)
        mask[y0 : int(box.y1 / factor) + 2, x0 : int(box.x1 / factor) + 2] = True
    return mask
