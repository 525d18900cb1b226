"""Digits a text layer shows smaller and raised, written as superscripts: ``0 to 12¹`` is not ``0 to 121``.

Raised digits with company are something else: ``[1]`` is a citation however high it stands, ``1⁄4`` a fraction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.ingest.page import TextWord

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Parts of the height of the line's ordinary characters.
_SMALLER = 0.9
_HIGHER = 0.15
_FRACTION_SLASH = "\u2044"
_BRACKETED = re.compile(r"[\[(]\d+(?:[,–-]\d+)*[\])]")


def with_superscripts(words: Sequence[TextWord]) -> list[TextWord]:
    """The words of one line; digits that are smaller than most of its characters and end above them are raised.

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
    raised = small & (boxes[:, 3] < bottom - _HIGHER * height)
    if not raised.any() or _in_company(word.text):
        return word
    pairs = zip(word.text, raised, strict=True)
    return replace(word, text="".join(char.translate(_RAISED) if up else char for char, up in pairs))


def _in_company(text: str) -> bool:
    return _FRACTION_SLASH in text or bool(_BRACKETED.search(text))
