"""CTC (Graves et al. 2006).

Per-frame classes to characters with their frames and confidences, and how likely a text is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

BLANK = 0


@dataclass(frozen=True)
class Spans:
    """Characters of one line: class ids, first and last frame, and probability at the best frame."""

    ids: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    confidence: NDArray[np.float32]


def collapse(classes: NDArray[np.int64], probability: NDArray[np.float32]) -> Spans:
    """Merge runs of one class and drop blanks; ``classes``, ``probability``: (frames,) of the best class."""
    starts = np.flatnonzero(np.diff(classes, prepend=-1))
    ends = np.append(starts[1:], len(classes)) - 1
    peak = np.maximum.reduceat(probability, starts) if len(starts) else probability[:0]
    kept = classes[starts] != BLANK
    return Spans(classes[starts][kept], starts[kept], ends[kept], peak[kept])


def log_likelihood(scores: NDArray[np.float32], classes: NDArray[np.int64]) -> float:
    """Log-probability that the frames spell a text, summed over all ways to lay it along them (section 4.1).

    scores: (frames, any number of classes) log-probabilities, column 0 the blank's. classes: (characters,) the column
    of each character. -inf where the text needs more frames than there are.
    """
    if not len(scores):
        return 0.0 if not len(classes) else -np.inf
    states = np.full(2 * len(classes) + 1, BLANK)
    states[1::2] = classes
    # A blank may be skipped between two different characters.
    skips = np.append([False, False], (states[2:] != BLANK) & (states[2:] != states[:-2]))[: len(states)]
    spoken = scores[:, states].astype(np.float64)
    reached = np.full(len(states) + 2, -np.inf)
    reached[2:4] = spoken[0, :2]
    for frame in spoken[1:]:
        skipped = np.where(skips, reached[:-2], -np.inf)
        reached[2:] = np.logaddexp(np.logaddexp(reached[2:], reached[1:-1]), skipped) + frame
    return float(np.logaddexp(reached[-1], reached[-2]))
