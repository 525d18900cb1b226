"""A symbol's picture in the form that the classifier takes, in training and in reading."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

SIDE = 32
_MARGIN = 2


def symbol_image(ink: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], float]:
    """The ink (height, width), 0 to 255, fitted into (32, 32) with its proportions kept, and log(height / width)."""
    height, width = ink.shape
    available = SIDE - 2 * _MARGIN
    scale = available / max(height, width)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = np.asarray(
        Image.fromarray(ink).resize(size, Image.Resampling.BOX if scale < 1 else Image.Resampling.BILINEAR)
    )
    fitted = np.zeros((SIDE, SIDE), np.uint8)
    top, left = (SIDE - small.shape[0]) // 2, (SIDE - small.shape[1]) // 2
    fitted[top : top + small.shape[0], left : left + small.shape[1]] = small
    return fitted, math.log(height / width)
