"""Symbols that touch in the picture, told apart by cutting where the ink is thinnest."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_TRIED = 3
_EDGE = 0.15
"""share of a piece's width, at either end, in which no cut is tried"""

Gray = NDArray[np.uint8]
Mask = NDArray[np.bool_]
Rate = Callable[[list[Gray]], NDArray[np.float64]]
"""Pictures of symbols → for each the log-probability of the best class, -inf where that is none."""


class Halves(NamedTuple):
    """Masks of the same shape as the piece's picture, and how sure the less sure of both is."""

    left: Mask
    right: Mask
    score: float


def halves(own: Mask, ink: Gray, rate: Rate) -> Halves | None:
    """The best cut of a piece, own (height, width) in its ink, into two symbols; None where nothing can be cut."""
    tried = [(own & left, own & ~left) for left in _cuts(own, ink)]
    if not tried:
        return None
    pictures = [np.where(half, ink, 0).astype(np.uint8)[box(half)] for pair in tried for half in pair]
    scores = rate(pictures).reshape(-1, 2).min(axis=1)
    best = int(scores.argmax())
    return Halves(*tried[best], float(scores[best]))


def box(mask: Mask) -> tuple[slice, slice]:
    """Rows and columns of what a mask holds."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _cuts(own: Mask, ink: Gray) -> list[Mask]:
    """Left parts of the picture at the columns with least ink, both sides of which hold some."""
    width = own.shape[1]
    edge = max(2, round(_EDGE * width))
    profile = np.where(own, ink, 0).sum(axis=0)
    lows = [
        column
        for column in range(edge, width - edge)
        if profile[column] <= profile[column - 1] and profile[column] <= profile[column + 1]
    ]
    lows.sort(key=lambda column: int(profile[column]))
    columns = np.arange(width)
    parts = (low for low in lows[:_TRIED] if own[:, :low].any() and own[:, low:].any())
    return [np.broadcast_to(columns < low, own.shape) for low in parts]
