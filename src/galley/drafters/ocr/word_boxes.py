"""Words of a recognised line and their boxes, from the frames its characters were read at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.line import Word
from galley.drafters.ocr.text_quads import Quad


def split_words(text: str, centers: NDArray[np.float64], quad: Quad) -> list[Word]:
    """The words of ``text`` with their boxes in page pixels.

    centers: (len(text),) where along the line each character sits, 0 at its left end, 1 at its right.
    quad: the line's box, its first side running along the text.
    """
    words = []
    reach = _reach(centers)
    start = 0
    for part in text.split(" "):
        if part:
            end = start + len(part)
            left = _edge(centers, start, -reach)
            right = _edge(centers, end - 1, reach)
            words.append(Word(part, _part(quad, left, right)))
        start += len(part) + 1
    return words


def _reach(centers: NDArray[np.float64]) -> float:
    """Half of a usual character's width, as a share of the line."""
    return float(np.median(np.diff(centers))) / 2 if len(centers) > 1 else 0.5


def _edge(centers: NDArray[np.float64], index: int, reach: float) -> float:
    """Where a word's outer character ends.

    Half a character out, no farther than half way to its neighbour, and the line's own end for the outermost.
    """
    neighbour = index + (1 if reach > 0 else -1)
    if not 0 <= neighbour < len(centers):
        return 1.0 if reach > 0 else 0.0
    return float(centers[index] + np.clip((centers[neighbour] - centers[index]) / 2, -abs(reach), abs(reach)))


def _part(quad: Quad, left: float, right: float) -> BBox:
    """Upright box around the part of a rotated line box between two shares of its length."""
    top, bottom = quad[1] - quad[0], quad[2] - quad[3]
    corners = np.stack(
        [quad[0] + top * left, quad[0] + top * right, quad[3] + bottom * left, quad[3] + bottom * right]
    )
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    return BBox(x0=float(x0), y0=float(y0), x1=float(x1), y1=float(y1))
