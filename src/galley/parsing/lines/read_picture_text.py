"""Where a page's text lines come from: its text layer where that can be trusted, OCR elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Label
from galley.drafters.line import TextLine, Word
from galley.drafters.ocr import OcrEngine
from galley.ingest.page import LayerQuality, TextLayer
from galley.layout.region import Region
from galley.parsing.options import ParseOptions

# A picture smaller than this part of the page is an ornament.
_LEAST_PICTURE = 0.005
# Confidence; pictures hold much that only resembles writing.
_CLEAR = 0.8


def trusts_layer(layer: TextLayer, options: ParseOptions) -> bool:
    """Whether the page's own text is taken instead of OCR."""
    if options.ocr == "always":
        return False
    return options.ocr == "never" or layer.quality is LayerQuality.GOOD


def is_visible(layer: TextLayer) -> bool:
    """Whether the layer holds words that can be seen on the page and whose letters are known."""
    return layer.quality in (LayerQuality.GOOD, LayerQuality.PARTIAL) and bool(layer.words)


def picture_lines(
    image: NDArray[np.uint8],
    regions: Sequence[Region],
    pictures: Sequence[BBox],
    lines: Sequence[TextLine],
    ocr: OcrEngine,
) -> list[TextLine]:
    """OCR lines of what a page shows where its text layer has nothing: scanned letters, screenshots, charts, text drawn
    as shapes.

    regions: what the detector sees on the page. pictures: boxes of its raster images. lines: of its text layer.
    """
    least = _LEAST_PICTURE * image.shape[0] * image.shape[1]
    boxes = [
        *(r.bbox for r in regions if r.label not in (Label.FIGURE, Label.TABLE) or r.bbox.area >= least),
        *(box for box in pictures if box.area >= least),
    ]
    found: list[TextLine] = []
    for box in sorted(boxes, key=lambda box: -box.area):
        if any(line.bbox.intersection(box) > 0.3 * line.bbox.area for line in [*lines, *found]):
            continue
        x0, y0 = int(box.x0), int(box.y0)
        crop = np.ascontiguousarray(image[y0 : round(box.y1), x0 : round(box.x1)])
        found += [_moved(line, x0, y0) for line in ocr.read(crop) if _is_text(line)]
    return found


def _is_text(line: TextLine) -> bool:
    """Whether a line read in a picture is more than a shape that looks like a letter."""
    clear = (line.confidence or 0) >= _CLEAR
    return clear and (line.text.isdigit() or sum(map(str.isalnum, line.text)) > 1)


def _moved(line: TextLine, x: float, y: float) -> TextLine:
    words = [Word(word.text, _shifted(word.bbox, x, y)) for word in line.words]
    return replace(line, bbox=_shifted(line.bbox, x, y), words=words)


def _shifted(box: BBox, x: float, y: float) -> BBox:
    return BBox(x0=box.x0 + x, y0=box.y0 + y, x1=box.x1 + x, y1=box.y1 + y)
