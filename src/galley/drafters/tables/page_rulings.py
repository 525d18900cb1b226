"""The rules and bands that a part of a page shows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.line import Word
from galley.drafters.tables.drawn_rulings import drawn_rulings
from galley.drafters.tables.rulings import Rulings, darkest_channel, find_rulings
from galley.ingest.page_vectors import PageVectors

MARGIN = 0.5
"""Text heights around the box in which the table's own frame may be drawn."""


def page_rulings(
    image: NDArray[np.uint8],
    bbox: BBox,
    words: list[list[Word]],
    em: float,
    least_vertical: int = 0,
    vectors: PageVectors | None = None,
) -> Rulings:
    """Rules and bands in and just around ``bbox`` of an H×W×3 page image, in page pixels.

    words: by line; em: their height in pixels. least_vertical: see ``find_rulings``.
    vectors: what the page draws, where that is known: then the image is not looked at.
    """
    height, width = image.shape[:2]
    if not all(math.isfinite(v) for v in (bbox.x0, bbox.y0, bbox.x1, bbox.y1)):
        return Rulings()
    around = bbox.padded(MARGIN * em, width, height)
    x0, y0, x1, y1 = (int(v) for v in (around.x0, around.y0, math.ceil(around.x1), math.ceil(around.y1)))
    if x1 - x0 < 3 or y1 - y0 < 3:
        return Rulings()
    if vectors is not None:
        return drawn_rulings(vectors, around, em)
    gray = darkest_channel(image[y0:y1, x0:x1])
    text = np.zeros(gray.shape, dtype=bool)
    for word in (word for line in words for word in line):
        b = word.bbox
        left, right = max(0, int(b.x0) - x0 + 1), max(0, int(b.x1) - x0 - 1)
        text[max(0, int(b.y0) - y0) : max(0, math.ceil(b.y1) - y0), left:right] = True
    return find_rulings(gray, text, em, (float(x0), float(y0)), least_vertical)
