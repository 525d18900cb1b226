"""Spaces the recogniser saw and did not write.

A space was nearly as likely as what it wrote, or a gap is far too wide for none.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

_CLOSING = frozenset(",:;.!?)]}%")
_OPENING = frozenset("([{$€£#")
_ODDS = 0.1
"""Odds of a space against what was written from which on it counts."""
_GAP, _RATIO = 12, 2.5
"""After closing punctuation a space is a blank this many columns wide, at line height 48, and so many times wider
than the line's usual gap between letters."""
_WIDE_GAP, _WIDE_RATIO = 16, 3.0
"""The same between any two characters."""
_SPACELESS = 0x2E80
"""First code point of the East Asian scripts."""


def missing_spaces(
    text: str, frames: NDArray[np.int64], odds: NDArray[np.float32], columns: NDArray[np.bool_]
) -> list[int]:
    """Places in ``text`` before which a space is missing.

    frames: (len(text),) the frame of each character. odds: (all frames,) of a space against the best class.
    columns: (all frames * columns per frame,) whether there is ink in each column of the line's image. Scripts
    written without spaces get none. A character's frame may lie beside it: next to a written space, neither that
    frame's odds nor a blank at that end speak for another space.
    """
    stride = len(columns) // max(len(odds), 1)
    middles = frames * stride + stride // 2
    doubts, gaps = {}, {}
    for left, right in pairwise(range(len(text))):
        if " " in text[left : right + 1]:
            continue
        after = left > 0 and text[left - 1] == " "
        before = text[right + 1 : right + 2] == " "
        doubts[right] = odds[frames[left] + after : frames[right] + 1 - before].max(initial=0.0)
        gaps[right] = _blank(columns[middles[left] : middles[right] + 1], after, before)
    usual = float(np.median(list(gaps.values()))) if gaps else 0.0
    return [
        at
        for at, gap in gaps.items()
        if _may_part(text, at) and (doubts[at] >= _ODDS or _is_wide(text[at - 1], gap, usual))
    ]


def _may_part(text: str, at: int) -> bool:
    """Whether a space is plausible there: in a script that has spaces, and not inside 1,234.50 or 12:30."""
    left, right = text[at - 1], text[at]
    if ord(left) >= _SPACELESS or ord(right) >= _SPACELESS:
        return False
    if left in _CLOSING:
        return not (at > 1 and text[at - 2].isdigit() and right.isdigit()) and (
            right.isalnum() or right in _OPENING
        )
    return left.isalnum() and (right.isalnum() or right in _OPENING)


def _is_wide(left: str, gap: int, usual: float) -> bool:
    if gap >= max(_WIDE_GAP, _WIDE_RATIO * usual):
        return True
    return left in _CLOSING and gap >= max(_GAP, _RATIO * usual)


def _blank(columns: NDArray[np.bool_], after_space: bool, before_space: bool) -> int:
    """The longest run of columns without ink, from the middle of one character's frame to that of the next."""
    bounds = np.concatenate([[-1], np.flatnonzero(columns), [len(columns)]])
    runs = np.diff(bounds) - 1
    return int(runs[int(after_space) : len(runs) - int(before_space)].max(initial=0))
