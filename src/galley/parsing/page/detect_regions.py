"""Pass: what the layout model sees on the page."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from galley.geometry import crop
from galley.ingest.page import TextLayer
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

STAMP_REACH = 48
"""Grey levels of each channel: pixels this close to a stamp's colour are its strokes, smoothed edges included."""
PALE = 96
"""Grey levels; darker colours are those of the page's own text and stay."""
WHITE = 255


def detect_regions(page: PageState, tools: PageTools) -> None:
    """Find tables, figures, headings and the like by their looks, not counting what is stamped over the page.

    Reads: image, text_layer.
    Changes: regions.
    """
    page.regions = tools.detector.detect(_without_stamps(page.image, page.text_layer))


def _without_stamps(image: NDArray[np.uint8], layer: TextLayer) -> NDArray[np.uint8]:
    """The (height, width, 3) image with pale stamps painted white; the image itself where there are none."""
    stamps = [stamp for stamp in layer.stamps if min(stamp.colour) >= PALE]
    if not stamps:
        return image
    clean = image.copy()
    for stamp in stamps:
        part = crop(clean, stamp.bbox)
        distance = np.abs(part.astype(np.int16) - np.array(stamp.colour, dtype=np.int16)).max(axis=2)
        part[(distance < STAMP_REACH) | (part.min(axis=2) > max(stamp.colour))] = WHITE
    return clean
