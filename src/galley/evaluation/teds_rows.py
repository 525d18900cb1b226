"""A bound for TEDS on huge tables: rows are aligned, and cells within rows.

Memory grows with one block of row pairs. Every alignment is an edit script of the trees, so the distance is
never below the exact one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

Row = list[tuple[tuple[int, int], str]]
"""Cells as ((colspan, rowspan), content)."""

MAX_SHIFT = 200
"""How many rows an alignment may stray from the diagonal, which keeps the time linear in the number of
rows."""


def aligned_distance(pred: list[Row], true: list[Row]) -> float:
    """The edits that turn the rows ``pred`` into the rows ``true``.

    Returns:
        The sum of 1 + cells for each row added or removed, and of cell edits within pairs of rows.
    """
    drop = np.array([1.0 + len(row) for row in true])
    best = np.concatenate([[0.0], np.cumsum(drop)])
    slope = len(true) / max(1, len(pred))
    for i, row in enumerate(pred):
        low = max(0, int(i * slope) - MAX_SHIFT)
        high = min(len(true), int(i * slope) + MAX_SHIFT + 1)
        best = _next(best, 1.0 + len(row), drop, _row_costs(row, true[low:high]), low)
    return float(best[-1])


def _next(
    best: NDArray[np.float64], insert: float, drop: NDArray[np.float64], pairs: NDArray[np.float64], low: int
) -> NDArray[np.float64]:
    """One row of the edit-distance table; ``pairs`` prices the true rows ``low`` and on."""
    new = best + insert
    high = low + len(pairs)
    new[low + 1 : high + 1] = np.minimum(new[low + 1 : high + 1], best[low:high] + pairs)
    # A running minimum of (cost − prefix) lets the left-to-right recurrence run without a Python loop.
    prefix = np.concatenate([[0.0], np.cumsum(drop)])
    return np.minimum.accumulate(new - prefix) + prefix


def _row_costs(row: Row, others: list[Row]) -> NDArray[np.float64]:
    """(len(others),) edit distance of the row's cells to each other row's cells."""
    width = max((len(other) for other in others), default=0)
    lengths = np.array([len(other) for other in others], dtype=np.int64)
    costs = _cell_costs(row, others, width)
    best = np.tile(np.arange(width + 1, dtype=np.float64), (len(others), 1))
    for k in range(len(row)):
        swap = best[:, :-1] + costs[:, k, :]
        best += 1.0
        best[:, 1:] = np.minimum(best[:, 1:], swap)
        steps = np.arange(width + 1)
        best = np.minimum.accumulate(best - steps, axis=1) + steps
    return best[np.arange(len(others)), lengths]


def _cell_costs(row: Row, others: list[Row], width: int) -> NDArray[np.float64]:
    """Prices of turning one cell into another.

    Returns:
        Prices (len(others), len(row), width); places past a row's end cost 1.
    """
    costs = np.ones((len(others), len(row), width))
    flat = [(r, c, cell) for r, other in enumerate(others) for c, cell in enumerate(other)]
    if not flat or not row:
        return costs
    contents = cdist(
        [text for _, text in row], [cell[1] for *_, cell in flat], scorer=Levenshtein.normalized_distance
    )
    spans = np.array([cell[0] for *_, cell in flat])
    own = np.array([cell_spans for cell_spans, _ in row])
    contents = np.where((own[:, None] == spans[None]).all(-1), contents, 1.0)
    costs[[r for r, *_ in flat], :, [c for _, c, _ in flat]] = contents.T
    return costs
