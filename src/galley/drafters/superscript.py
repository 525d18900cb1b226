"""Digits a text layer shows smaller and raised, written as superscripts: ``0 to 12¹`` is not ``0 to 121``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.ingest.page import TextWord

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Parts of the height of the line's ordinary characters.
_SMALLER = 0.9
_HIGHER = 0.15


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
    if not raised.any():
        return word
    pairs = zip(word.text, raised, strict=True)
    return replace(word, text="".join(char.translate(_RAISED) if up else char for char, up in pairs))
