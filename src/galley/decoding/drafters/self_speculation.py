"""Self-speculation: the model's own block-diffusion draft, verified causally by the same model (GravityOCR)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from galley.decoding.accept import Outcome
from galley.decoding.drafters.base import DecoderContext, Drafter, DraftWindow, check_supported
from galley.decoding.pool import DraftPool
from galley.decoding.target import ScoreDetail, Scores
from galley.decoding.tree import SELF_DRAFT, Draft, PrefixTree
from galley.decoding.window import Ids

LARGEST_BLOCK = 512
"""Masks per block beyond which a window costs more than any draft can bring (the papers use 32)."""


@dataclass(frozen=True)
class SelfSpeculation:
    """The model drafts for itself: a drafting forward, then a verifying one (GravityOCR, section 3).

    Attributes:
        block_size: masks per block; None for what the model was trained for.
        tau_d: None drafts in one forward. Else masks whose probability exceeds it (at least the best one) are
            filled, and the rest is drafted again.
    """

    block_size: int | None = None
    tau_d: float | None = None
    name: ClassVar[str] = "self-spec"
    summary: ClassVar[str] = "the model's own block-diffusion drafts"
    needs_costs: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.block_size is not None and not 1 <= self.block_size <= LARGEST_BLOCK:
            raise ValueError(f"block_size is 1 to {LARGEST_BLOCK}, not {self.block_size}")
        if self.tau_d is not None and not 0 < self.tau_d <= 1:
            raise ValueError(f"tau_d is a probability above 0, not {self.tau_d}")

    def unsupported(self, target: Any) -> str | None:
        """A model without a mask token, or without a trained block size where none is given."""
        size = self.block_size or target.block_size
        return (
            "was not trained to draft for itself (no mask token)"
            if target.mask_id is None or size is None
            else None
        )

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        check_supported(self, context.target)
        size = self.block_size or context.target.block_size
        assert context.target.mask_id is not None and size is not None
        return _SelfSpeculationDrafter(context.target.mask_id, size, self.tau_d)


class _SelfSpeculationDrafter(Drafter):
    def __init__(self, mask: int, size: int, tau_d: float | None) -> None:
        self._mask = mask
        self._size = size
        self._floor = None if tau_d is None else math.log(tau_d)
        self.detail = ScoreDetail.ARGMAX if tau_d is None else ScoreDetail.CONFIDENCE
        self._forget()

    def draft(self, batch_draft: Ids | None = None) -> DraftWindow:
        tree = PrefixTree(self.committed[-1])
        if len(self._draft) and self._filled.all():
            tokens = self._draft[: self.max_draft]
            tree.add(Draft(tokens, np.ones(len(tokens)), SELF_DRAFT))
        elif self.max_draft > 0:
            block = np.where(self._filled, self._draft, self._mask)
            fresh = np.full(min(self._size, self.max_draft), self._mask)
            return DraftWindow(tree, [(0, block if len(block) else fresh)])
        return DraftWindow(tree)

    def observe(self, window: DraftWindow, scores: Scores, outcome: Outcome) -> None:
        if not window.blocks:
            self._forget()
        elif self._floor is None or scores.confidence is None:
            self._draft = scores.argmax[1:]
            self._filled = np.ones(len(self._draft), dtype=bool)
        elif len(self._draft) == 0:
            self._draft = scores.argmax[1:]
            self._filled = self._surest(scores.confidence[1:], np.zeros(len(self._draft), dtype=bool))
        else:
            # The boundary moved on by one token: the draft follows it and the block ends where it ended.
            kept = self._filled[1:]
            self._draft = np.where(kept, self._draft[1:], scores.argmax[1:-1])
            self._filled = self._surest(scores.confidence[1:-1], kept)

    def _surest(self, confidence: NDArray[np.float32], filled: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """``filled`` and every mask above tau_d besides, one at least while there is any."""
        open_ = np.where(filled, -np.inf, confidence)
        chosen = filled | (open_ > self._floor)
        if len(chosen):
            chosen[np.argmax(open_)] = True
        return chosen

    def _forget(self) -> None:
        self._draft = np.zeros(0, dtype=np.int64)
        self._filled = np.zeros(0, dtype=bool)
