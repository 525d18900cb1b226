"""Small capitals that a program makes of a font without any: capitals in smaller type on the same baseline.

Their text is in capitals, or, as browsers print them, in small letters as wide as capitals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from galley.document.spans import CharStyle, Style
from galley.drafters.superscript import styles_of
from galley.ingest.page import TextWord

SMALLEST, LARGEST = 0.6, 0.9
"""Sizes of small capitals as parts of that of the capitals beside them; programs take 0.65 to 0.85."""
ORDINARY = 0.9
"""The part of a line's characters that are no larger than its ordinary ones; most of a line may be small capitals."""
LEVEL = 0.04
"""How far their baseline may be from the line's, in heights of its characters."""
LEAST_LETTERS = 2
"""Letters of a word that is all small capitals; a single one is an index or an initial."""
WIDER = 1.12
"""Least mean width of small letters that are drawn as capitals, in widths of the same letters of the font elsewhere."""
NEAR = 8
"""Words before and after one among which another of its line is looked for."""
_DESCENT = 0.22


def with_drawn_capitals(words: Sequence[TextWord]) -> list[TextWord]:
    """A page's words in content order; small letters drawn as small capitals have that style.

    The widths of the same letters elsewhere on the page, in the same font, tell them from words in smaller type.
    """
    suspects = {
        at for at, word in enumerate(words) if _is_smaller(word, words[max(0, at - NEAR) : at + NEAR + 1])
    }
    if not suspects:
        return list(words)
    names = {words[at].font for at in suspects}
    widths: dict[tuple[str, str], list[float]] = {}
    for at, word in enumerate(words):
        if at not in suspects and word.font in names:
            for char, width in _widths(word):
                widths.setdefault((word.font, char), []).append(width)
    usual = {key: float(np.median(found)) for key, found in widths.items()}
    found = list(words)
    for at in suspects:
        word = words[at]
        ratios = [
            w / usual[word.font, c] for c, w in _widths(word) if usual.get((word.font, c)) and c.islower()
        ]
        if len(ratios) >= LEAST_LETTERS and float(np.mean(ratios)) >= WIDER:
            found[at] = _as_small_caps(word, [char.isalpha() for char in word.text])
    return found


def _is_smaller(word: TextWord, near: Sequence[TextWord]) -> bool:
    """Whether a word in small letters is smaller than one beside it on the same baseline."""
    if sum(map(str.islower, word.text)) < LEAST_LETTERS or word.size <= 0:
        return False
    base = word.bbox.y1 - _DESCENT * word.bbox.height
    return any(
        other.size > 0
        and SMALLEST < word.size / other.size < LARGEST
        and abs(other.bbox.y1 - _DESCENT * other.bbox.height - base) < LEVEL * other.bbox.height
        for other in near
    )


def _widths(word: TextWord) -> list[tuple[str, float]]:
    """The characters of a word but the last with their advances in type sizes.

    These are taken from where the next one begins: in some fonts boxes are as wide as the ink.
    """
    boxes = word.char_boxes
    if boxes is None or len(boxes) != len(word.text) or word.size <= 0:
        return []
    heights = (boxes[:, 3] - boxes[:, 1])[[char.isalpha() for char in word.text]]
    if len(heights) and float(heights.min()) < LARGEST * float(heights.max()):  # a word with an index
        return []
    return list(zip(word.text, (np.diff(boxes[:, 0]) / word.size).tolist(), strict=False))


def with_small_caps(words: Sequence[TextWord]) -> list[TextWord]:
    """The words of one line; those in capitals smaller than the line's other letters are small capitals.

    The capital that opens such a word is larger, and part of it. Words whose characters' boxes are unknown stay.
    """
    known = [word for word in words if word.char_boxes is not None and len(word.char_boxes) == len(word.text)]
    if not any(_is_capital(word.text) for word in known):
        return list(words)
    corners = np.concatenate([word.char_boxes for word in known if word.char_boxes is not None])
    heights = corners[:, 3] - corners[:, 1]
    height = float(np.percentile(heights, 100 * ORDINARY))
    ordinary = corners[heights > LARGEST * height]
    base = float(np.median(ordinary[:, 3] - _DESCENT * (ordinary[:, 3] - ordinary[:, 1])))
    own = {id(word) for word in known}
    return [_marked(word, height, base) if id(word) in own else word for word in words]


def _marked(word: TextWord, height: float, base: float) -> TextWord:
    boxes = word.char_boxes
    if boxes is None or not _is_capital(word.text):
        return word
    letters = np.array([char.isalpha() for char in word.text])
    small = letters & _are_small(boxes, float(max(height, (boxes[:, 3] - boxes[:, 1]).max())))
    level = np.abs(boxes[:, 3] - _DESCENT * (boxes[:, 3] - boxes[:, 1]) - base) < LEVEL * height
    large = letters & ~small
    if int((small & level).sum()) < LEAST_LETTERS or int(large.sum()) > 1 or (large.any() and not large[0]):
        return word
    return _as_small_caps(word, letters.tolist())


def _as_small_caps(word: TextWord, letters: Sequence[bool]) -> TextWord:
    styles = [
        CharStyle(style.styles | {Style.SMALL_CAPS}, style.link) if letter else style
        for style, letter in zip(styles_of(word), letters, strict=True)
    ]
    return replace(word, styles=tuple(styles))


def _is_capital(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    return len(letters) >= LEAST_LETTERS and all(char.isupper() for char in letters)


def _are_small(boxes: NDArray[np.float32], height: float) -> NDArray[np.bool_]:
    sizes = (boxes[:, 3] - boxes[:, 1]) / height
    return np.asarray((sizes > SMALLEST) & (sizes < LARGEST))
