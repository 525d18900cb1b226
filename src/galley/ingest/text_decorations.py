"""Rules and fills that belong to words: underlines, strike-throughs and highlighter boxes, not parts of tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from galley.ingest.page import TextWord
from galley.ingest.page_vectors import PageVectors

_BASELINE = 0.78
"""Part of a word's box above its baseline."""
_LEVEL_BOX = 0.9, 1.4
"""Height of a level word's box in type sizes."""
_UNDER = 0.0, 0.36
"""Type sizes from the baseline down to an underline's middle."""
_THROUGH = 0.15, 0.5
"""Type sizes from the baseline up to a strike-through's middle."""
_THICKEST = 0.2
"""Type sizes; thicker lines are bars."""
_ENDS = 0.4
"""Type sizes by which a line or box reaches past its words at most, or they past it."""
_WIDEST_SPACE = 1.2
"""Type sizes between words that are one text; columns are farther apart."""
_INSIDE = 0.6
"""Share of a word's width that a line covers to be its own."""
_BOX_HEIGHT = 0.7, 1.9
"""Height of a highlighter's box in type sizes."""
_FRACTION = 4.0
"""Type sizes, the width of a fraction's bar that may pass for an underline of its numerator."""
_NEAR = 2.0
"""Pixels between edges that meet."""
_COLOURFUL = 40
"""Levels between the strongest and the weakest channel of a highlighter's colour; grey is a ground."""
_MOST_PAIRS = 20_000_000
"""Words times rules that are compared."""


class _Words(NamedTuple):
    """(n,) arrays of the words' left and right ends, baselines, tops, middles and sizes; 0 sizes where not level."""

    left: NDArray[np.float64]
    right: NDArray[np.float64]
    base: NDArray[np.float64]
    middle: NDArray[np.float64]
    size: NDArray[np.float64]


def decorated(words: Sequence[TextWord], vectors: PageVectors) -> tuple[list[TextWord], PageVectors]:
    """The words with what is drawn under, through or behind them alone, and the rules and fills that remain."""
    if not words or len(words) * (len(vectors.rules) + len(vectors.fills)) > _MOST_PAIRS:
        return list(words), vectors
    at = _words(words)
    flags = np.zeros((3, len(words)), bool)
    rules = np.ones(len(vectors.rules), bool)
    for index in np.flatnonzero(vectors.horizontal & ~_meets_upright(vectors)).tolist():
        for flag, offsets in ((0, _UNDER), (1, (-_THROUGH[1], -_THROUGH[0]))):
            own = _own_words(at, vectors.rules[index], offsets)
            if len(own) and not (flag == 0 and _is_fraction(at, own, vectors.rules[index])):
                flags[flag, own] = True
                rules[index] = False
    fills = np.ones(len(vectors.fills), bool)
    for index, own in _highlighters(at, vectors.fills).items():
        fills[index] = False
        flags[2, own] |= np.ptp(vectors.fill_colours[index].astype(int)) >= _COLOURFUL
    marked = [
        replace(word, underlined=bool(under), struck=bool(through), highlighted=bool(behind))
        if under or through or behind
        else word
        for word, under, through, behind in zip(words, *flags, strict=True)
    ]
    return marked, vectors.taken(rules, fills)


def _words(words: Sequence[TextWord]) -> _Words:
    boxes = np.array([(w.bbox.x0, w.bbox.y0, w.bbox.x1, w.bbox.y1) for w in words], np.float64)
    size = np.array([word.size for word in words], np.float64)
    height = boxes[:, 3] - boxes[:, 1]
    level = (height >= _LEVEL_BOX[0] * size) & (height <= _LEVEL_BOX[1] * size)
    base = boxes[:, 1] + _BASELINE * height
    middle = (boxes[:, 1] + boxes[:, 3]) / 2
    return _Words(boxes[:, 0], boxes[:, 2], base, middle, np.where(level, size, 0.0))


def _meets_upright(vectors: PageVectors) -> NDArray[np.bool_]:
    """(m,), which rules end at a vertical one, as those of a grid do."""
    rules, level = vectors.rules, vectors.horizontal
    upright = rules[~level]
    middle = ((rules[:, 1] + rules[:, 3]) / 2)[:, None]
    along = (upright[:, 1] - _NEAR <= middle) & (middle <= upright[:, 3] + _NEAR)
    found = np.zeros(len(rules), bool)
    for side in (0, 2):
        at = rules[:, side][:, None]
        found |= (along & (upright[:, 0] - _NEAR <= at) & (at <= upright[:, 2] + _NEAR)).any(axis=1)
    return found


def _own_words(at: _Words, rule: NDArray[np.float64], offsets: tuple[float, float]) -> NDArray[np.int64]:
    """The words of one line that a rule is as long as, its middle so many type sizes below their baseline."""
    x0, y0, x1, y1 = rule
    below = (y0 + y1) / 2 - at.base
    covered = np.minimum(at.right, x1) - np.maximum(at.left, x0) >= _INSIDE * (at.right - at.left)
    fit = (below >= offsets[0] * at.size) & (below <= offsets[1] * at.size) & covered & (at.size > 0)
    fit &= y1 - y0 <= _THICKEST * at.size
    return _filling(at, np.flatnonzero(fit), x0, x1)


def _filling(at: _Words, own: NDArray[np.int64], x0: float, x1: float) -> NDArray[np.int64]:
    """The words, left to right, if together they reach from x0 to x1 with no space of columns; else none."""
    if not len(own):
        return own
    own = own[np.argsort(at.left[own], kind="stable")]
    left, right, size = at.left[own], np.maximum.accumulate(at.right[own]), float(at.size[own].max())
    slack = _ENDS * size
    filled = abs(left[0] - x0) <= slack and abs(right[-1] - x1) <= slack
    spaced = bool((left[1:] - right[:-1] > _WIDEST_SPACE * size).any())
    return own if filled and not spaced else own[:0]


def _is_fraction(at: _Words, own: NDArray[np.int64], rule: NDArray[np.float64]) -> bool:
    """Whether a short rule has words centred below it as well as above it."""
    x0, _, x1, y1 = rule
    size = float(at.size[own].max())
    if x1 - x0 > _FRACTION * size:
        return False
    close = (at.base > y1) & (at.base < y1 + 1.1 * size) & (at.size > 0)
    inside = (at.left > x0 - 0.2 * size) & (at.right < x1 + 0.2 * size)
    centred = np.abs(at.left + at.right - x0 - x1) < 0.4 * size
    return bool((close & inside & centred).any())


def _highlighters(at: _Words, fills: NDArray[np.float64]) -> dict[int, NDArray[np.int64]]:
    """Fills that are as wide as the words of one line on them, and these; not cells, one of which is wider."""
    found: dict[int, NDArray[np.int64]] = {}
    for index, (x0, y0, x1, y1) in enumerate(fills):
        fit = (at.middle > y0) & (at.middle < y1) & (at.size > 0)
        fit &= (_BOX_HEIGHT[0] * at.size <= y1 - y0) & (y1 - y0 <= _BOX_HEIGHT[1] * at.size)
        fit &= np.minimum(at.right, x1) - np.maximum(at.left, x0) >= _INSIDE * (at.right - at.left)
        own = _filling(at, np.flatnonzero(fit), x0, x1)
        if len(own):
            found[index] = own
    others = np.delete(fills, list(found), axis=0)
    return {index: own for index, own in found.items() if not _is_cell(fills[index], others)}


def _is_cell(fill: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether another fill is level with this one and meets its side, or is as wide and stands at its left end."""
    x0, y0, x1, y1 = fill
    level = (np.abs(others[:, 1] - y0) < _NEAR) & (np.abs(others[:, 3] - y1) < _NEAR)
    beside = (np.abs(others[:, 2] - x0) < _NEAR) | (np.abs(others[:, 0] - x1) < _NEAR)
    stacked = (np.abs(others[:, 0] - x0) < _NEAR) & (np.abs(others[:, 2] - x1) < _NEAR)
    return bool(((level & beside) | stacked).any())
