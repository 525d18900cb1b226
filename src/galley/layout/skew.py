"""Small tilts of a page: measured from its text lines, undone by turning the image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

LEAST = 0.3
"""Degrees below which a tilt is left alone: turning blurs the glyphs and nothing reads better for it."""

SMALL = 3.0
"""Degrees up to which text is found on the tilted page as well as on the straight one."""

MOST = 15.0
"""Degrees of tilt above which a line is not the page's."""
LONG = 5.0
"""Ratio of length to height of a line whose angle is sure."""
LEAST_LINES = 3
"""Long lines without which the tilt cannot be told."""


def page_skew(quads: NDArray[np.float32]) -> float:
    """Tilt of a page's text in degrees, positive when lines fall towards the right; 0 when it cannot be told.

    Args:
        quads: (n, 4, 2) rotated boxes of text lines, corners from the top left clockwise. The median angle of
            the long lines, weighted by their length; lines tilted more than 15 degrees are not the page's.
    """
    if len(quads) == 0:
        return 0.0
    along = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    length = np.hypot(along[:, 0], along[:, 1])
    height = np.hypot(*(quads[:, 3] - quads[:, 0]).T)
    angles = np.degrees(np.arctan2(along[:, 1], along[:, 0]))
    fit = (length >= LONG * height) & (np.abs(angles) <= MOST)
    if fit.sum() < LEAST_LINES:
        return 0.0
    return _weighted_median(angles[fit], length[fit])


def deskew(image: NDArray[np.uint8], angle: float) -> NDArray[np.uint8]:
    """The (height, width, 3) page turned back by ``angle`` degrees of ``page_skew``; it grows so that nothing is cut.

    New corners take the colour of the page's margin.
    """
    rim = np.concatenate([image[0], image[-1], image[:, 0], image[:, -1]])
    margin = tuple(int(c) for c in np.median(rim, axis=0))
    turned = Image.fromarray(image).rotate(angle, Image.Resampling.BICUBIC, expand=True, fillcolor=margin)
    return np.asarray(turned)


def deskewed_boxes(
    quads: NDArray[np.float32], angle: float, before: tuple[int, ...], after: tuple[int, ...]
) -> NDArray[np.float32]:
    """Rotated boxes (n, 4, 2) of a tilted page where ``deskew`` puts them.

    Args:
        quads: The boxes on the tilted page.
        angle: What ``deskew`` turned the page by.
        before: Shape (height, width, ...) of the tilted page.
        after: Shape of the straight page.
    """
    cosine, sine = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    x, y = np.moveaxis(quads - np.array([before[1], before[0]], np.float32) / 2, -1, 0)
    turned = np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=-1)
    return (turned + np.array([after[1], after[0]]) / 2).astype(np.float32)


def _weighted_median(values: NDArray[np.floating], weights: NDArray[np.floating]) -> float:
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(reached, reached[-1] / 2)])
