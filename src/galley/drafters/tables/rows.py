"""Which lines of text make one row: wrapped cells belong together, rules and bands keep rows apart.

Two neighbouring lines are judged by a logistic model of a dozen layout facts (spacing, columns used, whether
a line had room for the next one's first word, how the text goes on). Its weights were fitted on rendered
tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from galley.drafters.tables.pieces import Piece
from galley.drafters.tables.row_weights import BIAS, WEIGHTS

_NUMERIC = re.compile(r"^[\W\d]*\d[\W\d]*[%a-zA-Z]?$")
_OPEN_END = re.compile(r"([-–—,;:(/+=&]|\b(and|or|of|the|to|in|for|with|a|an|by|on|from|und|der|die|de|la))$")
_GOES_ON = re.compile(r"^[a-zà-ÿ)\]},.;:]")


@dataclass
class Placed:
    """A line of text with the columns each piece touches: ``spans[i]`` = (first, last) column of
    ``pieces[i]``."""

    pieces: list[Piece]
    spans: list[tuple[int, int]]

    @property
    def columns(self) -> set[int]:
        return {c for first, last in self.spans for c in range(first, last + 1)}

    @property
    def top(self) -> float:
        return float(np.median([piece.y0 for piece in self.pieces]))

    @property
    def bottom(self) -> float:
        return float(np.median([piece.y1 for piece in self.pieces]))

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2


def starts_row(lines: list[Placed], bounds: list[tuple[float, float]], em: float) -> list[float]:
    """For each line but the first, the log odds that it starts a new row.

    bounds: for each column the (left, right) that its text may fill. em: text height in pixels.
    """
    return [_new_row(fact) for fact in pair_facts(lines, bounds, em)]


def _new_row(fact: list[float]) -> float:
    """Log odds that the second line of a pair starts a row."""
    return BIAS + sum(w * f for w, f in zip(WEIGHTS, fact, strict=True))


def pair_facts(lines: list[Placed], bounds: list[tuple[float, float]], em: float) -> list[list[float]]:
    """Layout facts of each line and its next, each within about −2 to 2."""
    steps = [(b.middle - a.middle) / em for a, b in pairwise(lines)]
    low, high = (float(np.percentile(steps, q)) for q in (5, 95)) if steps else (0.0, 0.0)
    facts = []
    for i, step in enumerate(steps):
        after = lines[i + 2] if i + 2 < len(lines) else None
        before = lines[i - 1] if i else None
        facts.append(_facts(lines[i], lines[i + 1], before, after, bounds, em) + _spacing(step, low, high))
    return facts


def _spacing(step: float, low: float, high: float) -> list[float]:
    place = (step - low) / (high - low) if high - low > 0.15 else 0.5
    return [
        min(step, 4.0) - 1.5,
        min(high - low, 2.0),
        2 * (min(max(place, 0.0), 1.0) - 0.5) * min(1.0, 3 * (high - low)),
    ]


def _facts(
    above: Placed,
    below: Placed,
    before: Placed | None,
    after: Placed | None,
    bounds: list[tuple[float, float]],
    em: float,
) -> list[float]:
    count = len(bounds)
    top, low = above.columns, below.columns
    shared = top & low
    new = low - top
    texts = [piece.text for piece in below.pieces]
    over = [
        p
        for p, (a, b) in zip(above.pieces, above.spans, strict=True)
        if any(c in low for c in range(a, b + 1))
    ]
    return [
        len(low) / count,
        len(top) / count,
        len(new) / len(low),
        len(top - low) / len(top),
        float(min(low) == 0),
        float(min(top) == 0),
        float(low == top),
        float(0 in top and 0 not in low),
        _room(above, below, bounds, em),
        _mean(bool(_GOES_ON.match(text)) for text in texts),
        _mean(bool(_OPEN_END.search(piece.text)) for piece in over),
        _mean(bool(_NUMERIC.match(text)) for text in texts),
        float(above.bottom - below.top > 0.25 * em),
        float(before is not None and before.columns & low != set() and not before.columns & top),
        float(after is not None and after.columns & top != set() and not after.columns & low),
        float(count == 1),
        len(shared) / count,
    ]


def _mean(values: Iterable[bool]) -> float:
    found = [float(value) for value in values]
    return sum(found) / len(found) if found else 0.0


def _room(above: Placed, below: Placed, bounds: list[tuple[float, float]], em: float) -> float:
    """−1 to 1: how far the upper line had room for the first word below it. Room that was not used means a
    new row."""
    room = []
    for piece, span in zip(below.pieces, below.spans, strict=True):
        for upper, upper_span in zip(above.pieces, above.spans, strict=True):
            if span == upper_span:
                left, right = bounds[span[0]][0], bounds[span[1]][1]
                first = piece.words[0].bbox.width + 0.25 * em
                room.append(math.tanh(((right - left) - (upper.x1 - upper.x0) - first) / (2 * em)))
    return sum(room) / len(room) if room else 0.0
