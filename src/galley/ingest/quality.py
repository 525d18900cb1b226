"""How far a PDF's text layer can be trusted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from galley.document import BBox
from galley.ingest.page import LayerQuality, TextWord

_MAX_GARBAGE = 0.3
_MAX_IMPLAUSIBLE = 0.4
_MIN_WORDS_TO_JUDGE = 20
_MIN_MARKS_OUTSIDE = 60
_MIN_GARBAGE_WORDS = 3

_WORKING_HEIGHT = 1100
"""Rows the page is reduced to, about 100 dpi on A4: enough to see letters, and quick."""
_CONTRAST = 40
_BLOCK = 24
"""Side of the squares whose median is the paper; text covers less than half of a square."""
_LETTER_HEIGHT = (3, 30)
_LETTER_WIDTH = (1, 120)

_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]{4,}")
_VOWELS = re.compile(r"[aeiouyAEIOUY\u00c0-\u024f]")


def is_garbage(text: str) -> bool:
    """Whether most of a word's characters are unknown."""
    return 2 * text.count("\ufffd") > len(text)


def judge(
    words: Sequence[TextWord], seen: Sequence[bool], scanned: Sequence[bool], image: NDArray[np.uint8]
) -> tuple[LayerQuality, str]:
    """The quality of a layer and the reason in words.

    seen: per word, whether it can be seen on the page. scanned: whether it cannot and lies on a picture.
    image: (height, width, 3) uint8, the page as rendered.
    """
    letters = sum(len(word.text) for word in words)
    if not letters:
        return LayerQuality.NONE, "the page has no text layer"
    garbage = [word.text for word in words if is_garbage(word.text)]
    lost = sum(map(len, garbage)) / letters
    if lost > _MAX_GARBAGE:
        return LayerQuality.BROKEN, f"{lost:.0%} of the characters have no known letter"
    odd = _implausible([word.text for word in words])
    if odd > _MAX_IMPLAUSIBLE:
        return LayerQuality.BROKEN, f"{odd:.0%} of the words are no words of any language"
    hidden = sum(len(word.text) for word, over in zip(words, scanned, strict=True) if over) / letters
    if hidden > 0.5:
        return LayerQuality.OCR, f"{hidden:.0%} of the text cannot be seen; it was put over or beneath a scan"
    if len(garbage) >= _MIN_GARBAGE_WORDS:
        return LayerQuality.PARTIAL, f"{len(garbage)} words have no known letters"
    coverage = text_coverage(image, [word.bbox for word, shown in zip(words, seen, strict=True) if shown])
    if coverage.marks >= _MIN_MARKS_OUTSIDE and coverage.inside < coverage.outside:
        return (
            LayerQuality.PARTIAL,
            f"{coverage.marks} marks that look like text lie outside of the text layer",
        )
    return LayerQuality.GOOD, "the text is part of the page"


def _implausible(words: Sequence[str]) -> float:
    """Share of the long Latin-letter words without a single vowel; 0 where there are too few to say."""
    found = [match.group() for word in words for match in _LATIN_WORD.finditer(word)]
    if len(found) < _MIN_WORDS_TO_JUDGE:
        return 0.0
    return sum(not _VOWELS.search(word) and not word.isupper() for word in found) / len(found)


@dataclass(frozen=True)
class TextCoverage:
    """inside: ink pixels within the boxes. outside: those of letter-sized marks elsewhere; marks: how many."""

    inside: int
    outside: int
    marks: int


def text_coverage(image: NDArray[np.uint8], boxes: Sequence[BBox]) -> TextCoverage:
    """Compare the ink in ``boxes`` with what else looks like text. image: (height, width, 3) uint8.

    Photographs and line art give letter-sized marks as well.
    """
    factor = max(1, round(image.shape[0] / _WORKING_HEIGHT))
    grey = np.asarray(Image.fromarray(image).convert("L").reduce(factor), dtype=np.int16)
    ink = np.abs(grey - _paper(grey)) > _CONTRAST
    boxed = _mask(boxes, factor, grey.shape)
    labels, count = ndimage.label(ink & ~boxed, np.ones((3, 3), dtype=bool))
    letters = np.zeros(count + 1, dtype=bool)
    for label, (rows, columns) in enumerate(ndimage.find_objects(labels), 1):
        letters[label] = _between(rows.stop - rows.start, _LETTER_HEIGHT) and _between(
            columns.stop - columns.start, _LETTER_WIDTH
        )
    outside = int(np.bincount(labels.ravel(), minlength=count + 1)[letters].sum())
    return TextCoverage(int(np.count_nonzero(ink & boxed)), outside, int(letters.sum()))


def _paper(grey: NDArray[np.int16]) -> NDArray[np.int16]:
    """The local background of (height, width) grey levels, blockwise."""
    height, width = grey.shape
    padded = np.pad(grey, ((0, -height % _BLOCK), (0, -width % _BLOCK)), mode="edge")
    rows, columns = padded.shape[0] // _BLOCK, padded.shape[1] // _BLOCK
    blocks = padded.reshape(rows, _BLOCK, columns, _BLOCK)
    medians = np.median(blocks, axis=(1, 3)).astype(np.int16)
    return medians.repeat(_BLOCK, axis=0).repeat(_BLOCK, axis=1)[:height, :width]


def _between(value: int, limits: tuple[int, int]) -> bool:
    return limits[0] <= value <= limits[1]


def _mask(boxes: Sequence[BBox], factor: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    mask = np.zeros(shape, dtype=bool)
    for box in boxes:
        y0, x0 = max(0, int(box.y0 / factor) - 1), max(0, int(box.x0 / factor) - 1)
        mask[y0 : int(box.y1 / factor) + 2, x0 : int(box.x1 / factor) + 2] = True
    return mask
