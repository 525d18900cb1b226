"""How far a PDF's text layer can be trusted."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from galley.ingest.ink import weigh_ink
from galley.ingest.page import LayerQuality, TextWord

_MAX_GARBAGE = 0.3
_MAX_IMPLAUSIBLE = 0.4
_MIN_WORDS_TO_JUDGE = 20
_MIN_MARKS_OUTSIDE = 60
_MIN_GARBAGE_WORDS = 3

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
    ink = weigh_ink(image, [word.bbox for word, shown in zip(words, seen, strict=True) if shown])
    if ink.marks >= _MIN_MARKS_OUTSIDE and ink.inside < ink.outside:
        return LayerQuality.PARTIAL, f"{ink.marks} marks that look like text lie outside of the text layer"
    return LayerQuality.GOOD, "the text is part of the page"


def _implausible(words: Sequence[str]) -> float:
    """Share of the long Latin-letter words without a single vowel; 0 where there are too few to say."""
    found = [match.group() for word in words for match in _LATIN_WORD.finditer(word)]
    if len(found) < _MIN_WORDS_TO_JUDGE:
        return 0.0
    return sum(not _VOWELS.search(word) and not word.isupper() for word in found) / len(found)
