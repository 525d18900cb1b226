"""The glyphs and rules of a page as its file has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class FontFace:
    """A font of the page. name: without its subset prefix. flags: of its descriptor (ISO 32000-1, table 123)."""

    name: str
    flags: int


@dataclass(frozen=True)
class PageGlyphs:
    """``n`` visible glyphs in content order and ``m`` rules, in page-image pixels, y down.

    codes: (n,) int64, the Unicode code point, or the code in the font where ``unmapped``, (n,) bool. faces: (n,) int64,
    index in ``fonts``. sizes: (n,) float64, font size. origins: (n, 2), the point on the baseline where each begins.
    advances: (n,) widths as the font has them. ink: (n, 4) ``x0, y0, x1, y1`` of the outline. upright: (n,) bool,
    whether it stands level. rules: (m, 4), filled rectangles and straight strokes thin enough to be lines.
    """

    codes: NDArray[np.int64]
    unmapped: NDArray[np.bool_]
    faces: NDArray[np.int64]
    sizes: NDArray[np.float64]
    origins: NDArray[np.float64]
    advances: NDArray[np.float64]
    ink: NDArray[np.float64]
    upright: NDArray[np.bool_]
    rules: NDArray[np.float64]
    fonts: tuple[FontFace, ...]
