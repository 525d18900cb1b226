"""Step one of every strategy: the page turned upright and its skew undone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.ocr import OcrEngine
from galley.ingest.page import PageImage, TextLayer, TextWord
from galley.layout.orientation import page_orientation, turned
from galley.layout.skew import LEAST, SMALL, deskew, deskewed_boxes, page_skew


@dataclass
class Upright:
    """An upright page and its text layer, whose boxes fit the image.

    rotation: clockwise degrees the page was turned by; skew: degrees undone after that. quads: (n, 4, 2)
    boxes of text lines where they have been looked for, in the image's pixels.
    """

    image: NDArray[np.uint8]
    text: TextLayer = field(default_factory=TextLayer)
    rotation: int = 0
    skew: float = 0.0
    quads: NDArray[np.float32] | None = None


def make_upright(page: PageImage, ocr: OcrEngine, *, trust_layer: bool) -> Upright:
    """The page upright. ``trust_layer``: its text layer will be read, so a small skew does no harm and
    only a page whose text runs up or down is turned."""
    if trust_layer and not _runs_sideways(page.text):
        return Upright(page.image, page.text)
    rotation = page_orientation(page.image, ocr)
    image = turned(page.image, rotation) if rotation else page.image
    layer = turned_layer(page.text, rotation, page.image.shape[1], page.image.shape[0])
    if trust_layer:
        return Upright(image, layer, rotation)
    quads = ocr.detect(image)
    skew = page_skew(quads)
    if abs(skew) < LEAST:
        return Upright(image, layer, rotation, quads=quads)
    straight = deskew(image, skew)
    # A second look costs time and finds no more, unless the tilt was so large that lines' boxes met.
    small = abs(skew) <= SMALL
    quads = deskewed_boxes(quads, skew, image.shape, straight.shape) if small else ocr.detect(straight)
    # The layer of a tilted page is not read: its words' boxes would no longer fit.
    return Upright(straight, TextLayer(), rotation, skew, quads)


def turned_layer(layer: TextLayer, clockwise: int, width: int, height: int) -> TextLayer:
    """The layer of a ``width`` × ``height`` page turned clockwise by a multiple of 90 degrees."""
    if clockwise % 360 == 0:
        return layer
    words = [_turned_word(word, clockwise % 360, width, height) for word in layer.words]
    return replace(
        layer, words=words, pictures=[_turned(box, clockwise % 360, width, height) for box in layer.pictures]
    )


def _runs_sideways(layer: TextLayer) -> bool:
    """Whether most of the longer words stand taller than wide."""
    shapes = [word.bbox.height > 1.5 * word.bbox.width for word in layer.words if len(word.text) > 3]
    return len(shapes) >= 5 and 2 * sum(shapes) > len(shapes)


def _turned_word(word: TextWord, clockwise: int, width: int, height: int) -> TextWord:
    chars = word.char_boxes
    if chars is not None:
        chars = _turned_boxes(chars, clockwise, width, height)
    return replace(word, bbox=_turned(word.bbox, clockwise, width, height), char_boxes=chars)


def _turned(box: BBox, clockwise: int, width: int, height: int) -> BBox:
    corners = np.array([[box.x0, box.y0, box.x1, box.y1]], np.float32)
    x0, y0, x1, y1 = map(float, _turned_boxes(corners, clockwise, width, height)[0])
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)


def _turned_boxes(boxes: NDArray[np.float32], clockwise: int, width: int, height: int) -> NDArray[np.float32]:
    x0, y0, x1, y1 = boxes.T
    if clockwise == 90:
        return np.stack([height - y1, x0, height - y0, x1], axis=1)
    if clockwise == 180:
        return np.stack([width - x1, height - y1, width - x0, height - y0], axis=1)
    return np.stack([y0, width - x1, y1, width - x0], axis=1)
