"""The rules and bands of a table from what its page draws, with no look at the picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.tables.rulings import BAND_STEP, Ruling, Rulings
from galley.ingest.page_vectors import PageVectors

_THIN_GAP = 0.35
"""Text heights; a thinner gap between two fills is a rule in the ground's colour."""
_SAMPLES = 64
"""Places along an edge at which the shades on both sides are compared."""
_MOST = 0.6
"""Share of these that must differ."""
_SHORTEST_LEVEL, _SHORTEST_UPRIGHT = 2.0, 1.2
"""Text heights; shorter rules are bars of fractions and strokes of drawings."""
_GAP_LENGTH = 3.0
"""Text heights along which a gap between fills runs at least."""
_MOST_FILLS = 2000
"""Fills of a box that are looked at; more are a drawing."""


def drawn_rulings(vectors: PageVectors, box: BBox, em: float) -> Rulings:
    """Rules and bands in ``box``, cut off at its edges. em: height of the text in pixels."""
    inside = vectors.within(box)
    rules, level = inside.rules, inside.horizontal
    horizontal = _rulings(rules[level], box.x0, box.x1, _SHORTEST_LEVEL * em)
    vertical = _rulings(rules[~level][:, [1, 0, 3, 2]], box.y0, box.y1, _SHORTEST_UPRIGHT * em)
    bands: list[float] = []
    if 0 < len(inside.fills) <= _MOST_FILLS:
        shades = inside.fill_colours.astype(np.int64)
        bands, gaps = _edges(inside.fills, shades, _sides(box), em)
        _, upright = _edges(inside.fills[:, [1, 0, 3, 2]], shades, _sides(box)[[1, 0, 3, 2]], em)
        horizontal, vertical = [*horizontal, *gaps], [*vertical, *upright]
    return Rulings(horizontal, vertical, bands)


def _sides(box: BBox) -> NDArray[np.float64]:
    return np.array([box.x0, box.y0, box.x1, box.y1])


def _rulings(rules: NDArray[np.float64], low: float, high: float, shortest: float) -> list[Ruling]:
    """Level rules, from ``low`` to ``high`` at most."""
    starts, ends = rules[:, 0].clip(low, high), rules[:, 2].clip(low, high)
    middles = (rules[:, 1] + rules[:, 3]) / 2
    return [
        Ruling(position, start, end)
        for position, start, end in zip(middles.tolist(), starts.tolist(), ends.tolist(), strict=True)
        if end - start >= shortest
    ]


def _edges(
    fills: NDArray[np.float64], shades: NDArray[np.int64], box: NDArray[np.float64], em: float
) -> tuple[list[float], list[Ruling]]:
    """Heights at which the shade changes across most of the box, and the thin gaps between fills."""
    ys = np.unique(np.concatenate([fills[:, 1], fills[:, 3], box[[1, 3]]]).clip(box[1], box[3]))
    ys = ys[np.diff(ys, prepend=-np.inf) > 0.5]
    xs = np.linspace(box[0], box[2], 2 * _SAMPLES + 1)[1::2]
    middles = (ys[:-1] + ys[1:]) / 2
    painted = np.full((len(middles), len(xs), 3), 255, np.int64)
    for (x0, y0, x1, y1), shade in zip(fills, shades, strict=True):
        rows = slice(*np.searchsorted(middles, [y0, y1]))
        columns = slice(*np.searchsorted(xs, [x0, x1]))
        painted[rows, columns] = shade
    differs = np.abs(np.diff(painted, axis=0)).max(axis=2) >= BAND_STEP
    thin = np.diff(ys) <= _THIN_GAP * em
    step = (box[2] - box[0]) / _SAMPLES
    gaps = []
    for i in range(1, len(middles) - 1):
        both = np.flatnonzero(differs[i - 1] & differs[i])
        if thin[i] and len(both) and (both[-1] - both[0] + 1) * step >= _GAP_LENGTH * em:
            gaps.append(Ruling(middles[i], xs[both[0]] - step / 2, xs[both[-1]] + step / 2))
    at_gap = np.zeros(len(ys), bool)
    at_gap[:-1] |= thin
    at_gap[1:] |= thin
    most = differs.mean(axis=1) >= _MOST
    return [float(y) for y, changes in zip(ys[1:-1], most & ~at_gap[1:-1], strict=True) if changes], gaps
