"""Repetition penalty, applied position by position so that drafts and greedy decoding agree."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from galley.decoding.target import Scores


class RepetitionPenalty:
    """Divides positive and multiplies negative logits of tokens seen before (CTRL, 4.1), as samplers do.

    A node of a tree has seen the prompt, the committed tokens and its own path, and nothing of its siblings.
    """

    def __init__(self, strength: float, seen: Iterable[int]) -> None:
        self._strength = strength
        self._seen = set(seen)

    def saw(self, tokens: Iterable[int]) -> None:
        """Take note of committed tokens."""
        self._seen.update(tokens)

    def logits(self, scores: Scores, slot: int, path: Iterable[int]) -> NDArray[np.float32]:
        """Penalised logits after a slot.

        Args:
            scores: of the window.
            slot: number of the slot.
            path: uncommitted tokens up to the slot.

        Returns:
            (vocabulary,) float32.
        """
        if scores.logprobs is None:
            raise ValueError(
                "a repetition penalty needs the target to give log-probabilities (ScoreDetail.FULL)"
            )
        logits = scores.logprobs[slot].astype(np.float32)
        if scores.log_norm is not None:
            logits += scores.log_norm[slot]
        seen = np.fromiter(self._seen.union(path), dtype=np.int64)
        seen = seen[(seen >= 0) & (seen < len(logits))]
        old = logits[seen]
        logits[seen] = np.where(old > 0, old / self._strength, old * self._strength)
        return logits
