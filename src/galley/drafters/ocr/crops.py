"""Crops of rotated text boxes, turned so that the line runs left to right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.ocr.text_quads import Quad, sides

_LEVEL = 1.0
"""Pixels of slant below which a box is cut out straight."""


def crop_line(page: Image.Image, quad: Quad, height: int) -> NDArray[np.uint8]:
    """What the quad holds, as an (height, width, 3) uint8 image whose first row is the quad's first side."""
    across, down = sides(quad)
    width = max(round(across * height / max(down, 1.0)), 1)
    slant = np.abs(quad[0, 1] - quad[1, 1]) + np.abs(quad[0, 0] - quad[3, 0])
    if slant < _LEVEL and quad[0, 0] < quad[1, 0]:
        return np.asarray(page.resize((width, height), Image.Resampling.BILINEAR, box=_box(quad, page)))
    return _warp(page, quad, width, height)


def _box(quad: Quad, page: Image.Image) -> tuple[float, float, float, float]:
    """The level quad as a box inside the page, at least one pixel wide and high."""
    x0 = min(max(float(quad[0, 0]), 0.0), page.width - 1.0)
    y0 = min(max(float(quad[0, 1]), 0.0), page.height - 1.0)
    x1 = min(max(float(quad[2, 0]), x0 + 1.0), float(page.width))
    y1 = min(max(float(quad[2, 1]), y0 + 1.0), float(page.height))
    return x0, y0, x1, y1


def _warp(page: Image.Image, quad: Quad, width: int, height: int) -> NDArray[np.uint8]:
    """Affine crop, drawn no smaller than the page has it and then reduced, so that thin strokes survive."""
    across, down = sides(quad)
    inner = (max(round(across), width), max(round(down), height))
    x, y = (quad[1] - quad[0]) / inner[0], (quad[3] - quad[0]) / inner[1]
    data = (float(x[0]), float(y[0]), float(quad[0, 0]), float(x[1]), float(y[1]), float(quad[0, 1]))
    line = page.transform(inner, Image.Transform.AFFINE, data, Image.Resampling.BICUBIC, fillcolor="white")
    return np.asarray(line.resize((width, height), Image.Resampling.BILINEAR))
