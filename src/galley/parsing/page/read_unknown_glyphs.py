"""Pass: glyphs whose letters neither the file nor its fonts tell, read from their pictures."""

from __future__ import annotations

import re
from dataclasses import replace

from galley.document import BBox
from galley.drafters.ocr import OcrEngine
from galley.ingest.page import TextWord
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

UNKNOWN = "\ufffd"
LIGATURE = ".{1,3}"
"""What one glyph may stand for."""
MOST_WORDS = 32
"""Words with such glyphs that are read; a page of many is read by OCR as a whole."""
LEAST_CONFIDENCE = 0.9
"""Of a glyph read alone, 0 to 1: it has no neighbours that bear it out."""
AROUND = 0.25
"""Type sizes of white left and right of a glyph that is read alone."""


def read_unknown_glyphs(page: PageState, tools: PageTools) -> None:
    """Read such glyphs with their words where all other letters agree, else alone; what stays unknown is reported.

    Reads: image, text_layer, uses_text_layer, warnings.
    Changes: text_layer, warnings.
    """
    if not page.uses_text_layer or not any(UNKNOWN in word.text for word in page.text_layer.words):
        return
    words = list(page.text_layer.words)
    unknown = [n for n, word in enumerate(words) if UNKNOWN in word.text]
    if tools.options.ocr != "never":
        for n in unknown[:MOST_WORDS]:
            words[n] = _read(words[n], page, tools.ocr)
    page.text_layer = replace(page.text_layer, words=words)
    left = sum(word.text.count(UNKNOWN) for word in words)
    if left:
        page.warnings = [*page.warnings, f"{left} characters have no known letter and stand as {UNKNOWN}"]


def _read(word: TextWord, page: PageState, ocr: OcrEngine) -> TextWord:
    (line,) = ocr.read_lines(page.image, [word.bbox])
    whole = "".join(line.text.split())
    shape = "".join(LIGATURE if char == UNKNOWN else re.escape(char) for char in word.text)
    if word.text.strip(UNKNOWN) and re.fullmatch(shape, whole):
        return _spelled(word, whole)
    if word.char_boxes is None or len(word.char_boxes) != len(word.text):
        return word
    chars = list(word.text)
    for n, char in enumerate(chars):
        if char == UNKNOWN:
            chars[n] = _alone(word, n, page, ocr)
    return replace(word, text="".join(chars))


def _spelled(word: TextWord, text: str) -> TextWord:
    """The word with another text; its characters keep their boxes where there are as many."""
    return replace(word, text=text, char_boxes=word.char_boxes if len(text) == len(word.text) else None)


def _alone(word: TextWord, n: int, page: PageState, ocr: OcrEngine) -> str:
    """The character of one glyph, U+FFFD where its picture is not clear."""
    assert word.char_boxes is not None
    x0, y0, x1, y1 = map(float, word.char_boxes[n])
    box = BBox(x0=x0, y0=y0, x1=x1, y1=y1).padded(0, page.width, page.height)
    if box.area <= 0:
        return UNKNOWN
    (line,) = ocr.read_lines(page.image, [_widened(box, AROUND * word.size if len(word.text) == 1 else 0.0)])
    text = line.text.strip()
    return text if len(text) == 1 and (line.confidence or 0) >= LEAST_CONFIDENCE else UNKNOWN


def _widened(box: BBox, by: float) -> BBox:
    return BBox(x0=max(0.0, box.x0 - by), y0=box.y0, x1=box.x1 + by, y1=box.y1)
