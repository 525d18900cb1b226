"""Characters that a text layer shows smaller and raised or lowered: superscripts, subscripts.

Raised digits are written as such in plain text too: ``0 to 12¹`` is not ``0 to 121``. Raised digits with company are
something else: ``[1]`` is a citation however high it stands, ``1⁄4`` a fraction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from galley.document.spans import PLAIN, CharStyle, Style
from galley.ingest.page import TextWord

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Parts of the height of the line's ordinary characters:
_SMALLER = 0.9
_HIGHER = 0.15
_DESCENT = 0.22
"""What of a character's box lies below its baseline."""
_LEAST_RISE, _MOST_RISE = 0.12, 0.75
"""How far above the line's baseline a superscript stands."""
_LEAST_DROP, _MOST_DROP = 0.05, 0.55
"""How far below it a subscript stands."""
_LEAST_SIZE = 0.35
_MOST_CHARS = 8
"""Of one index; longer small text beside larger is a text of its own."""
_FRACTION_SLASH = "\u2044"
_BRACKETED = re.compile(r"[\[(]\d+(?:[,–-]\d+)*[\])]")


def styles_of(word: TextWord) -> tuple[CharStyle, ...]:
    """The style of each of a word's characters."""
    return word.styles if word.styles is not None else (PLAIN,) * len(word.text)


def with_superscripts(words: Sequence[TextWord]) -> list[TextWord]:
    """The words of one line; characters smaller than most of its own and off its baseline are raised or lowered.

    Words whose characters' boxes are unknown stay as they are.
    """
    boxes = [word.char_boxes for word in words if word.char_boxes is not None]
    if not boxes:
        return list(words)
    corners = np.concatenate(boxes)
    height = float(np.median(corners[:, 3] - corners[:, 1]))
    bottom = float(np.median(corners[:, 3]))
    return [_spelled(word, height, bottom) for word in words]


def _spelled(word: TextWord, height: float, bottom: float) -> TextWord:
    boxes = word.char_boxes
    if boxes is None or len(boxes) != len(word.text):
        return word
    small = boxes[:, 3] - boxes[:, 1] < _SMALLER * height
    if not small.any() or _FRACTION_SLASH in word.text:
        return word
    word = _with_indices(word, boxes, small, height, bottom)
    raised = small & (boxes[:, 3] < bottom - _HIGHER * height)
    if not raised.any() or _BRACKETED.search(word.text):
        return word
    pairs = zip(word.text, raised, strict=True)
    return replace(word, text="".join(char.translate(_RAISED) if up else char for char, up in pairs))


def _with_indices(
    word: TextWord, boxes: NDArray[np.float32], small: NDArray[np.bool_], height: float, bottom: float
) -> TextWord:
    """The word with the styles of its raised and lowered characters; mathematics has its own signs for them."""
    if word.latex is not None:
        return word
    own = boxes[:, 3] - boxes[:, 1]
    rise = (bottom - _DESCENT * height) - (boxes[:, 3] - _DESCENT * own)
    sized = small & (own > _LEAST_SIZE * height)
    styles = list(styles_of(word))
    for style, low, high in (
        (Style.SUPERSCRIPT, _LEAST_RISE, _MOST_RISE),
        (Style.SUBSCRIPT, -_MOST_DROP, -_LEAST_DROP),
    ):
        chosen = sized & (rise > low * height) & (rise < high * height)
        if 0 < chosen.sum() <= _MOST_CHARS:
            for place in np.flatnonzero(chosen):
                styles[place] = CharStyle(styles[place].styles | {style}, styles[place].link)
    return replace(word, styles=tuple(styles)) if any(style != PLAIN for style in styles) else word
