"""CTC decoding: per-frame classes → characters with their frames and confidences (Graves et al. 2006)."""

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
