"""Joining predicted lines that are pieces of one true line, before lines are matched one to one."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from galley.evaluation.omnidocbench.fuzzy import window_distance

SURE = 0.25
"""Lines at most this far apart are taken as matched and left out of joining."""
PIECE = 0.6
"""A piece must be found in the true line within this distance."""

Run = tuple[int, ...]
"""Indices of consecutive predicted lines."""


def joined_runs(costs: NDArray[np.float64], true_lines: list[str], predicted: list[str]) -> list[Run]:
    """Predicted lines as runs in order, each to be matched as one line; most runs hold a single line."""
    sure_rows, sure_columns = (set(axis.tolist()) for axis in np.nonzero(costs < SURE))
    chosen: list[tuple[Run, float]] = []
    for row, line in enumerate(true_lines):
        if row not in sure_rows:
            runs = _runs_for(line, predicted, sure_columns)
            if runs:
                chosen.append(min(runs, key=lambda run: run[1]))
    return _fill(_without_overlaps(chosen), len(predicted))


def join(lines: list[str], run: Run) -> str:
    """The lines of a run as one text."""
    return " ".join(lines[index] for index in run)


def _runs_for(line: str, predicted: list[str], taken: set[int]) -> list[tuple[Run, float]]:
    """From each free predicted line, the run it starts and that run's distance to ``line``."""

    @cache
    def piece_distance(index: int) -> float | None:
        return window_distance(line, predicted[index], PIECE)

    def grows(run: Run) -> bool:
        before, after = (Levenshtein.normalized_distance(line, join(predicted, r)) for r in (run[:-1], run))
        if after > before:
            return False
        held = [piece_distance(index) for index in run[:-1]]
        added = piece_distance(run[-1])
        return all(d is not None and d <= PIECE for d in held) and added is not None and added < PIECE

    found: list[tuple[Run, float]] = []
    for start in range(len(predicted)):
        if start in taken:
            continue
        run: Run = (start,)
        while run[-1] + 1 < len(predicted) and run[-1] + 1 not in taken:
            longer = (*run, run[-1] + 1)
            if not grows(longer):
                break
            run = longer
            if len(join(predicted, run)) > len(line):
                break
        found.append((run, Levenshtein.normalized_distance(line, join(predicted, run))))
    return found


def _without_overlaps(chosen: list[tuple[Run, float]]) -> list[Run]:
    """Of runs that overlap, the combination with the lowest mean distance."""
    kept: list[Run] = []
    cluster: list[tuple[Run, float]] = []
    for run, cost in sorted(chosen, key=lambda item: item[0][0]):
        if cluster and not any(set(run) & set(other) for other, _ in cluster):
            kept += _best_path(cluster)
            cluster = []
        cluster.append((run, cost))
    return kept + _best_path(cluster) if cluster else kept


def _best_path(cluster: list[tuple[Run, float]]) -> list[Run]:
    """Choose disjoint runs of lines.

    Paths of disjoint runs grow in order. A run that fits no path starts one; of equal runs the lower cost stays.
    """
    paths: list[dict[Run, float]] = [{cluster[0][0]: cluster[0][1]}]
    for run, cost in cluster[1:]:
        placed = False
        for path in paths:
            if run in path:
                if cost < path[run]:
                    del path[run]
                    path[run] = cost
                placed = True
            elif not any(set(run) & set(other) for other in path):
                path[run] = cost
                placed = True
        if not placed:
            paths.append({run: cost})
    costs = [sum(path.values()) / len(path) for path in paths]
    return list(paths[costs.index(min(costs))])


def _fill(runs: list[Run], count: int) -> list[Run]:
    """The runs and, one by one, every line outside them, in order."""
    covered = {index for run in runs for index in run}
    return sorted(runs + [(index,) for index in range(count) if index not in covered])
