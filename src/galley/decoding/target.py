"""The door between the decoding core and a verifying model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from galley.decoding.window import Window


class ScoreDetail(Enum):
    """How much of a forward's output the core wants; less is cheaper. Each includes the ones above it."""

    ARGMAX = "argmax"
    CONFIDENCE = "confidence"
    """arg-max and its log-probability"""
    DRAFTED = "drafted"
    """the same, and the log-probability of each slot's own token as its parent predicts it (tau)"""
    FULL = "full"
    """arg-max and log-probabilities over the whole vocabulary (sampling, penalties)"""


@dataclass(frozen=True, eq=False)
class Scores:
    """Predictions of the token *after* each slot of a window (the shift convention).

    argmax: (n,) int64. confidence: (n,) float32 log-probability of the arg-max, or None if not asked for.
    drafted: (n,) float32, ``log p(tokens[i])`` in the prediction of slot ``parents[i]``; any value where the
        parent is -1. None if not asked for.
    logprobs: (n, vocabulary) float32 log-probabilities, or None if not asked for.
    log_norm: (n,) float32 log-sum-exp of the logits, so that ``logits = logprobs + log_norm[:, None]``: a
        repetition penalty works on logits. Comes with ``logprobs``; may stay None in a target without logits.
    """

    argmax: NDArray[np.int64]
    confidence: NDArray[np.float32] | None = None
    logprobs: NDArray[np.float32] | None = None
    drafted: NDArray[np.float32] | None = None
    log_norm: NDArray[np.float32] | None = None


Handle = Any
"""What a target knows a sequence by; opaque to the core."""


class Target(Protocol):
    """A causal model. Its cache holds every committed token but the last one, the boundary ``x0``.

    stop_ids: ids that end a response. mask_id: id of the mask token, None when the model cannot draft itself.
    block_size: masks per drafting window the model was trained for, None likewise.

    A target that computes on the CPU may have a ``clock``, ``time.process_time``: what its forwards cost is then
    measured without what other processes take.
    """

    vocab_size: int
    stop_ids: frozenset[int]
    mask_id: int | None
    block_size: int | None

    def prefill(
        self, prompts: Sequence[Any], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[tuple[Handle, Scores]]:
        """Read each prompt (whatever the target takes: image and text) and predict its first token.

        Each ``Scores`` has one row. Sequences of different calls may be mixed in later forwards.
        """
        ...

    def forward(
        self, items: Sequence[tuple[Handle, Window]], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[Scores]:
        """Run one window per sequence, in one batch. Slots stay uncommitted until ``commit``.

        Slots that were not committed before a sequence's next ``forward`` are dropped. ``detail`` is the most
        that any of the sequences needs; giving more than was asked for is allowed.
        """
        ...

    def commit(self, handle: Handle, slots: NDArray[np.int64]) -> None:
        """Keep the KV of these slots of the sequence's last window, in this order, and drop its others."""
        ...

    def release(self, handle: Handle) -> None:
        """Free what the sequence holds; safe to call twice."""
        ...


class HiddenStates(Target, Protocol):
    """A target that shows its states, for heads that draft from them (Medusa, EAGLE)."""

    def hidden(self, handle: Handle) -> NDArray[np.float32]:
        """(k, width) states of the last layer of the cached tokens that were not asked for before.

        In the order of the tokens, those of the prompt at first. The last one is the state that predicted the
        boundary, which a Medusa head starts from; an EAGLE head reads them all.
        """
        ...


class MtpTarget(Target, Protocol):
    """A target with a multi-token-prediction head."""

    def mtp(self, items: Sequence[tuple[Handle, int]], depth: int) -> list[NDArray[np.int64]]:
        """Draft ``depth`` tokens after each boundary token, from the hidden state of the token before it."""
        ...
