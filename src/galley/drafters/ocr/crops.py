"""Upright crops of rotated text boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.ocr.boxes import Quad, sides

_TALL = 1.5
"""A box this much taller than wide holds a line that runs down the page."""


def crop_line(page: Image.Image, quad: Quad, height: int) -> NDArray[np.uint8]:
    """The text box as an (height, width, 3) uint8 image of one line running left to right."""
    across, down = sides(quad)
    if down >= _TALL * across:
        quad = np.roll(quad, -1, axis=0)
        across, down = down, across
    width = max(round(across * height / max(down, 1.0)), 1)
    tilt = np.abs(quad[0, 1] - quad[1, 1]) + np.abs(quad[0, 0] - quad[3, 0])
    if tilt < 1.0:
        box = (float(quad[0, 0]), float(quad[0, 1]), float(quad[2, 0]), float(quad[2, 1]))
        return np.asarray(page.resize((width, height), Image.Resampling.BILINEAR, box=_inside(box, page)))
    return _warp(page, quad, width, height)


def _inside(box: tuple[float, float, float, float], page: Image.Image) -> tuple[float, float, float, float]:
    x0, y0 = min(max(box[0], 0.0), page.width - 1.0), min(max(box[1], 0.0), page.height - 1.0)
    return (
        x0,
        y0,
        min(max(box[2], x0 + 1.0), float(page.width)),
        min(max(box[3], y0 + 1.0), float(page.height)),
    )


def _warp(page: Image.Image, quad: Quad, width: int, height: int) -> NDArray[np.uint8]:
    """Affine crop; drawn at about the page's own scale first, so that shrinking is anti-aliased."""
    across, down = sides(quad)
    inner = (max(round(max(across, width)), 1), max(round(max(down, height)), 1))
    x, y = (quad[1] - quad[0]) / inner[0], (quad[3] - quad[0]) / inner[1]
    data = (float(x[0]), float(y[0]), float(quad[0, 0]), float(x[1]), float(y[1]), float(quad[0, 1]))
    line = page.transform(inner, Image.Transform.AFFINE, data, Image.Resampling.BICUBIC, fillcolor="white")
    return np.asarray(line.resize((width, height), Image.Resampling.BILINEAR))
