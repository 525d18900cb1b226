"""Distances between lines: a cost matrix, and whether a line appears, roughly, inside another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

_BATCH = 1024


def cost_matrix(rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
    """Normalised edit distances, (rows, columns) float64."""
    if not rows or not columns:
        return np.zeros((len(rows), len(columns)))
    costs: NDArray[np.float64] = cdist(
        rows, columns, scorer=Levenshtein.normalized_distance, dtype=np.float64
    )
    return costs


def window_distance(text: str, part: str, limit: float) -> float | None:
    """Smallest edit distance between ``part`` and a window of its length in ``text``.

    The search ends at the first windows below ``limit``, and distances above it are not told apart: compare the
    result with ``limit`` only.

    Returns:
        The distance as a share of the length of ``part``; None when ``part`` is empty or longer than ``text``.
    """
    size = len(part)
    if not size or size > len(text):
        return None
    cutoff = int(limit * size) + 1
    best = float(cutoff + 1)
    for first in range(0, len(text) - size + 1, _BATCH):
        starts = range(first, min(first + _BATCH, len(text) - size + 1))
        windows = [text[start : start + size] for start in starts]
        costs = cdist([part], windows, scorer=Levenshtein.distance, score_cutoff=cutoff, dtype=np.int32)
        best = min(best, float(costs.min()))
        if best / size < limit:
            break
    return best / size
