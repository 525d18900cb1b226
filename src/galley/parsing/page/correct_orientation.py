"""Pass: the page turned upright and its skew undone."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import pairwise

import numpy as np

from galley.drafters.ocr import OcrEngine
from galley.geometry import turned as turned_box
from galley.geometry import turned_corners
from galley.ingest.page import TextLayer, TextWord
from galley.ingest.page_vectors import PageVectors
from galley.layout.orientation import page_orientation, turned
from galley.layout.skew import LEAST, SMALL, deskew, deskewed_boxes, page_skew
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

# Fewer words are no evidence of which way the text runs.
_LEAST_WORDS = 5


def correct_orientation(page: PageState, tools: PageTools) -> None:
    """Turn the page upright and undo its skew.

    Of a page whose text layer is used, a small skew does no harm, and it is turned only where its words run up, down
    or upside down.

    Reads: image, text_layer, uses_text_layer.
    Changes: image, text_layer, rotation, skew, line_quads.
    """
    layer = page.text_layer
    upside_down = page.uses_text_layer and _runs_backwards(layer)
    if page.uses_text_layer and not upside_down and not _runs_sideways(layer):
        return
    quads = None if page.uses_text_layer else tools.ocr.detect(page.image)
    page.rotation = 180 if upside_down else page_orientation(page.image, tools.ocr, quads)
    page.text_layer = turned_layer(layer, page.rotation, page.width, page.height)
    if page.rotation:
        page.image = turned(page.image, page.rotation)
    if not page.uses_text_layer:
        page.line_quads = tools.ocr.detect(page.image) if page.rotation else quads
        _undo_skew(page, tools.ocr)


def _undo_skew(page: PageState, ocr: OcrEngine) -> None:
    """Straighten a page whose lines are tilted."""
    assert page.line_quads is not None
    skew = page_skew(page.line_quads)
    if abs(skew) < LEAST:
        return
    straight = deskew(page.image, skew)
    # A second look costs time and finds no more, unless the tilt was so large that lines' boxes met.
    small = abs(skew) <= SMALL
    quads = page.line_quads
    page.line_quads = (
        deskewed_boxes(quads, skew, page.image.shape, straight.shape) if small else ocr.detect(straight)
    )
    # The layer of a tilted page is not read: its words' boxes would no longer fit.
    page.image, page.skew = straight, skew
    page.text_layer = TextLayer(fields=page.text_layer.fields, comments=page.text_layer.comments)


def turned_layer(layer: TextLayer, clockwise: int, width: int, height: int) -> TextLayer:
    """The layer of a ``width`` × ``height`` page turned clockwise by a multiple of 90 degrees."""
    if clockwise % 360 == 0:
        return layer
    words, watermarks = (
        [_turned_word(word, clockwise % 360, width, height) for word in words]
        for words in (layer.words, layer.watermarks)
    )
    return replace(
        layer,
        words=words,
        watermarks=watermarks,
        stamps=[
            replace(stamp, bbox=turned_box(stamp.bbox, clockwise % 360, width, height))
            for stamp in layer.stamps
        ],
        pictures=[turned_box(box, clockwise % 360, width, height) for box in layer.pictures],
        fields=[
            field.model_copy(update={"bbox": turned_box(field.bbox, clockwise % 360, width, height)})
            for field in layer.fields
        ],
        typed=[turned_box(box, clockwise % 360, width, height) for box in layer.typed],
        comments=[
            replace(comment, bbox=turned_box(comment.bbox, clockwise % 360, width, height))
            for comment in layer.comments
        ],
        vectors=_turned_vectors(layer.vectors, clockwise % 360, width, height),
    )


def _runs_sideways(layer: TextLayer) -> bool:
    """Whether most of the longer words stand taller than wide, but for writing in columns."""
    if layer.vertical:
        return False
    shapes = [word.bbox.height > 1.5 * word.bbox.width for word in layer.words if len(word.text) > 3]
    return len(shapes) >= _LEAST_WORDS and 2 * sum(shapes) > len(shapes)


def _runs_backwards(layer: TextLayer) -> bool:
    """Whether most words of a script written from left to right run the other way, and their lines upwards.

    Such a page is upside down. Mirrored text runs backwards as well, but its lines go down.
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


def _turned_vectors(
    vectors: PageVectors | None, clockwise: int, width: int, height: int
) -> PageVectors | None:
    if vectors is None:
        return None
    rules, fills = (
        turned_corners(boxes, clockwise, width, height) for boxes in (vectors.rules, vectors.fills)
    )
    return replace(vectors, rules=rules, fills=fills)


def _turned_word(word: TextWord, clockwise: int, width: int, height: int) -> TextWord:
    chars = word.char_boxes
    if chars is not None:
        chars = turned_corners(chars, clockwise, width, height)
    return replace(word, bbox=turned_box(word.bbox, clockwise, width, height), char_boxes=chars)
