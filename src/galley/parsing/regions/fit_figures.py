"""Pass: figures as large as what is drawn in them: a detector's box also takes in text that only stands near by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.region import Region
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

CONTRAST = 40
"""Grey levels of 255 by which a drawing differs from the paper."""
REDUCED = 4
"""The page is looked at in squares of so many pixels."""
LABEL_REACH = 2.0
"""In heights of a line: how near labels stand to their drawing, and the titles of axes."""
LABEL_INSIDE = 0.5
"""Share of a line's area within a figure that may be its label."""


def fit_figures(page: PageState, tools: PageTools) -> None:
    """Shrink each figure to its drawing and the labels near it; drop one without a drawing.

    Reads: image, lines, regions.
    Changes: regions.
    """
    page.regions = fitted_figures(page.image, page.regions, page.lines)


def fitted_figures(
    image: NDArray[np.uint8], regions: Sequence[Region], lines: Sequence[TextLine]
) -> list[Region]:
    """Regions in order; a figure shrinks to its drawing and the lines near it, one without a drawing goes.

    image: the (height, width, 3) page. lines: all its text lines.
    """
    if not any(region.label is Label.FIGURE for region in regions):
        return list(regions)
    drawn = _drawn(image, lines)
    fitted = [_fitted(region, drawn, lines) if region.label is Label.FIGURE else region for region in regions]
    return [region for region in fitted if region is not None]


def _drawn(image: NDArray[np.uint8], lines: Sequence[TextLine]) -> NDArray[np.bool_]:
    """What stands out of the page and is no text, at a quarter of the page's size."""
    grey = np.asarray(Image.fromarray(image).convert("L").reduce(REDUCED), np.int16)
    drawn = np.abs(grey - int(np.median(grey))) > CONTRAST
    for line in lines:
        drawn[_window(line.bbox, pad=1)] = False
    return drawn


def _window(box: BBox, pad: int = 0) -> tuple[slice, slice]:
    x0, y0 = max(0, int(box.x0) // REDUCED - pad), max(0, int(box.y0) // REDUCED - pad)
    return slice(y0, int(box.y1) // REDUCED + 1 + pad), slice(x0, int(box.x1) // REDUCED + 1 + pad)


def _fitted(figure: Region, drawn: NDArray[np.bool_], lines: Sequence[TextLine]) -> Region | None:
    waiting = [line.bbox for line in lines if line.bbox.inside(figure.bbox) > LABEL_INSIDE]
    if not waiting:
        return figure
    window = _window(figure.bbox)
    ys, xs = np.nonzero(drawn[window])
    if not len(ys):
        return None
    top, left = window[0].start, window[1].start
    box = BBox(
        x0=max(figure.bbox.x0, float(REDUCED * (left + xs.min()))),
        y0=max(figure.bbox.y0, float(REDUCED * (top + ys.min()))),
        x1=min(figure.bbox.x1, float(REDUCED * (left + xs.max() + 1))),
        y1=min(figure.bbox.y1, float(REDUCED * (top + ys.max() + 1))),
    )
    while near := [line for line in waiting if _is_near(line, box)]:
        box = BBox.around([box, *near])
        waiting = [line for line in waiting if line not in near]
    return replace(figure, bbox=box) if waiting else figure


def _is_near(line: BBox, box: BBox) -> bool:
    reach = LABEL_REACH * line.height
    return line.intersection(box.padded(reach, float("inf"), float("inf"))) > 0
