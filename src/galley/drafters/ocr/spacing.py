"""Spaces the recogniser saw and did not write: after punctuation, and where a gap is far wider than its line's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_CLOSING = frozenset(",:;.!?)]")
_GAP, _RATIO = 12, 2.5
"""After closing punctuation a space is a blank this many columns wide, at line height 48, and so many times wider than
the line's usual gap between letters."""
_WIDE_GAP, _WIDE_RATIO = 16, 3.0
"""The same between any two characters."""
_INK = 0.35


def missing_spaces(
    text: str, frames: NDArray[np.int64], columns: NDArray[np.bool_], stride: int
) -> list[int]:
    """Places in ``text`` before which a space is missing.

    frames: (len(text),) the frame of each character, ``stride`` columns wide. columns: whether there is ink in each
    column of the line's image. Scripts written without spaces get none.
    """
    pairs = [(i, i + 1) for i in range(len(text) - 1) if text[i] != " " and text[i + 1] != " "]
    gaps = {
        right: _blank(columns, frames[left] * stride, frames[right] * stride, stride) for left, right in pairs
    }
    usual = float(np.median(list(gaps.values()))) if gaps else 0.0
    return [at for at, gap in gaps.items() if _is_space(text, at, gap, usual)]


def ink_columns(pixels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether each column of a (height, width) grey line holds ink, whatever is dark or light on what."""
    contrast = np.abs(pixels - np.median(pixels))
    return (contrast > _INK * max(float(np.percentile(contrast, 98)), 1e-3)).any(axis=0)


def _is_space(text: str, at: int, gap: int, usual: float) -> bool:
    left, right = text[at - 1], text[at]
    if ord(left) >= 0x2E80 or ord(right) >= 0x2E80 or not right.isalnum():
        return False
    if gap >= max(_WIDE_GAP, _WIDE_RATIO * usual):
        return left.isalnum() or left in _CLOSING
    in_number = at > 1 and text[at - 2].isdigit() and right.isdigit()
    return left in _CLOSING and not in_number and gap >= max(_GAP, _RATIO * usual)


def _blank(columns: NDArray[np.bool_], start: int, end: int, stride: int) -> int:
    """The longest run of columns without ink between the middles of two frames."""
    middle = stride // 2
    inked = np.flatnonzero(columns[start + middle : end + middle + 1])
    bounds = np.concatenate([[-1], inked, [end - start + 1]])
    return int(np.diff(bounds).max()) - 1
