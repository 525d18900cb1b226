"""Step one of every strategy: the page turned upright and its skew undone."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.ocr import OcrEngine
from galley.ingest.page import PageImage, TextLayer, TextWord
from galley.layout.orientation import page_orientation, turned
from galley.layout.skew import LEAST, SMALL, deskew, deskewed_boxes, page_skew

# Fewer words are no evidence of which way the text runs.
_LEAST_WORDS = 5


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
    only a page whose text runs up or down, or upside down, is turned."""
    upside_down = trust_layer and _runs_backwards(page.text)
    if trust_layer and not upside_down and not _runs_sideways(page.text):
        return Upright(page.image, page.text)
    rotation = 180 if upside_down else page_orientation(page.image, ocr)
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
    return len(shapes) >= _LEAST_WORDS and 2 * sum(shapes) > len(shapes)


def _runs_backwards(layer: TextLayer) -> bool:
    """Whether most words of a script written from left to right run the other way, and their lines upwards:
    a page upside down. Mirrored text runs backwards as well, but its lines go down.
    """
    words = [word for word in layer.words if _runs_rightwards(word.text) and word.char_boxes is not None]
    if len(words) < _LEAST_WORDS:
        return False
    backwards = sum(map(_is_backwards, words))
    steps = [after.bbox.center[1] - word.bbox.center[1] for word, after in pairwise(words)]
    reach = 0.5 * float(np.median([word.bbox.height for word in words]))
    up, down = sum(step < -reach for step in steps), sum(step > reach for step in steps)
    return 2 * backwards > len(words) and up >= down


def _runs_rightwards(text: str) -> bool:
    return len(text) > 3 and all(unicodedata.bidirectional(char) == "L" for char in text[:-1])


def _is_backwards(word: TextWord) -> bool:
    """Whether the last character of a word stands to the left of the first."""
    boxes = word.char_boxes
    return boxes is not None and bool(
        boxes[-1, 2] < boxes[0, 2] and boxes[-1, 0] < boxes[0, 0] - 0.5 * word.size
    )


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
