"""A step's windows as rows of a decoding batch.

Attention backends decode one token a row: they write its key and value, then attend to the first so many
entries of its sequence. Rows may share a sequence, so a window needs no mask of its own: of a chain, each row
sees up to itself; of a drafting window, the boundary sees up to itself and every mask sees the whole block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from galley.decoding import Window
from galley.decoding.window import Ids


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a decoding batch, all (n,) int64.

    Attributes:
        owners: A row's request in the batch.
        tokens: Token ids.
        places: Positions in the owner's sequence.
        ends: A row sees its owner's positions below this.
    """

    owners: Ids
    tokens: Ids
    places: Ids
    ends: Ids

    def __len__(self) -> int:
        return len(self.owners)

    @classmethod
    def of(cls, owners: Sequence[int], windows: Sequence[Window], boundaries: Sequence[int]) -> Rows:
        """Rows of one window for each owner.

        Args:
            owners: Indices of the requests in the batch.
            windows: One for each owner.
            boundaries: The position of each window's first slot.

        Raises:
            ValueError: A window's slots see anything but what comes first in it.
        """
        counts = [_seen(window) for window in windows]
        starts = np.repeat(np.asarray(boundaries, dtype=np.int64), [len(window) for window in windows])
        return cls(
            np.repeat(np.asarray(owners, dtype=np.int64), [len(window) for window in windows]),
            np.concatenate([window.tokens for window in windows]),
            starts + np.concatenate([window.depths for window in windows]),
            starts + np.concatenate(counts),
        )


def _seen(window: Window) -> Ids:
    """How many slots of its window each slot sees."""
    counts = window.sees.sum(axis=1)
    if not (window.sees == (np.arange(len(window)) < counts[:, None])).all():
        raise ValueError("a row of a decoding batch cannot leave out what comes before it: this is no chain")
    return counts.astype(np.int64)
