"""Pass: text in what a page with a text layer shows as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Label
from galley.drafters.line import TextLine, Word
from galley.drafters.ocr import OcrEngine
from galley.geometry import shifted
from galley.layout.region import Region
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

LEAST_AREA = 0.005
"""Part of the page: a smaller figure, table or raster image is an ornament."""
LEAST_CONFIDENCE = 0.8
"""Of a recognised line, 0 to 1: pictures hold much that only resembles writing."""
COVERED = 0.3
"""Part of a line's area that shows that the text layer knows what stands in a box."""


def read_picture_text(page: PageState, tools: PageTools) -> None:
    """Recognise what the page shows where its text layer has nothing: scanned letters, screenshots, charts.

    Reads: image, text_layer, uses_text_layer, regions, lines.
    Changes: lines.
    """
    if page.uses_text_layer and tools.options.ocr != "never":
        found = picture_lines(page.image, page.regions, page.text_layer.pictures, page.lines, tools.ocr)
        page.lines = [*page.lines, *found]


def picture_lines(
    image: NDArray[np.uint8],
    regions: Sequence[Region],
    pictures: Sequence[BBox],
    lines: Sequence[TextLine],
    ocr: OcrEngine,
) -> list[TextLine]:
    """OCR lines of what a page shows where its text layer has nothing.

    That is scanned letters, screenshots, charts, and text drawn as shapes.

    Args:
        image: The page (height, width, 3).
        regions: What the detector sees on the page.
        pictures: Boxes of its raster images.
        lines: Those of its text layer.
        ocr: Reads them.
    """
    least = LEAST_AREA * image.shape[0] * image.shape[1]
    boxes = [
        *(r.bbox for r in regions if r.label not in (Label.FIGURE, Label.TABLE) or r.bbox.area >= least),
        *(box for box in pictures if box.area >= least),
    ]
    found: list[TextLine] = []
    for box in sorted(boxes, key=lambda box: -box.area):
        if any(line.bbox.intersection(box) > COVERED * line.bbox.area for line in [*lines, *found]):
            continue
        x0, y0 = int(box.x0), int(box.y0)
        crop = np.ascontiguousarray(image[y0 : round(box.y1), x0 : round(box.x1)])
        found += [_moved(line, x0, y0) for line in ocr.read(crop) if _is_writing(line)]
    return found


def _is_writing(line: TextLine) -> bool:
    """Whether a line read in a picture is more than a shape that looks like a letter."""
    clear = (line.confidence or 0) >= LEAST_CONFIDENCE
    return clear and (line.text.isdigit() or sum(map(str.isalnum, line.text)) > 1)


def _moved(line: TextLine, x: float, y: float) -> TextLine:
    words = [Word(word.text, shifted(word.bbox, x, y)) for word in line.words]
    return replace(line, bbox=shifted(line.bbox, x, y), words=words)
