"""Direct block diffusion: the drafter's text without verification. It serves to measure the drafter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from galley.decoding.request import Finish, Result
from galley.decoding.stats import Committed, Stats
from galley.decoding.target import Handle, ScoreDetail, Target
from galley.decoding.tree import MODEL, SELF_DRAFT
from galley.decoding.window import Ids, Window


def diffuse(
    target: Target,
    prompt: Any,
    *,
    max_tokens: int = 4096,
    tau_c: float = 0.9,
    block_size: int | None = None,
) -> Result:
    """Write block by block (GravityOCR's direct block diffusion); the quality is below that of the causal path.

    Each denoising step reveals every position of the block whose probability exceeds ``tau_c``, or the most
    confident one if none does. A full block is written to the cache by one causal forward. The text is cut at the
    first stop token. ``Stats.draft_forwards`` counts denoising steps and ``Stats.write_forwards`` cache writes,
    so that TPF counts only forwards that commit tokens.

    Args:
        target: a model that can draft for itself.
        prompt: what the target reads.
        max_tokens: most tokens written.
        tau_c: probability, 0 to 1, from which on a position is revealed.
        block_size: masks per block; None takes the model's.
    """
    size = block_size or target.block_size
    if target.mask_id is None or size is None:
        raise ValueError("this model has no mask token, so it cannot write by block diffusion")
    if not 0 < tau_c <= 1:
        raise ValueError(f"tau_c is a probability above 0, not {tau_c}")
    (handle, scores), *_ = target.prefill([prompt], ScoreDetail.CONFIDENCE)
    confidence = None if scores.confidence is None else float(scores.confidence[0])
    trace = [Committed(int(scores.argmax[0]), 0, MODEL, confidence)]
    blocks = _Blocks(target, handle, target.mask_id, size, math.log(tau_c))
    try:
        while trace[-1].token not in target.stop_ids and len(trace) < max_tokens:
            trace += _until_stop(blocks.write(trace[-1].token), target.stop_ids)
    finally:
        target.release(handle)
    return _result(trace[:max_tokens], target.stop_ids, blocks.stats)


def _until_stop(block: list[Committed], stop_ids: frozenset[int]) -> list[Committed]:
    """The block up to its first stop token, that one included."""
    for index, committed in enumerate(block):
        if committed.token in stop_ids:
            return block[: index + 1]
    return block


def _result(trace: list[Committed], stop_ids: frozenset[int], stats: Stats) -> Result:
    stats.tokens = len(trace)
    stopped = trace[-1].token in stop_ids
    kept = trace[:-1] if stopped else trace
    finish = Finish.STOP if stopped else Finish.LENGTH
    return Result(0, [committed.token for committed in kept], finish, stats, kept)


class _Blocks:
    """Writes one text block after block."""

    def __init__(self, target: Target, handle: Handle, mask: int, size: int, floor: float) -> None:
        self._target = target
        self._handle = handle
        self._mask = mask
        self._size = size
        self._floor = floor
        self.stats = Stats(prefill_forwards=1)

    def write(self, boundary: int) -> list[Committed]:
        """Denoise the block behind ``boundary`` and fill the cache up to the block's last token."""
        ids = np.full(self._size, self._mask, dtype=np.int64)
        sure = np.zeros(self._size)
        hidden = np.ones(self._size, dtype=bool)
        while hidden.any():
            self._denoise(boundary, ids, sure, hidden)
        written = Window.chain([boundary, *ids[:-1].tolist()])
        self._target.forward([(self._handle, written)])
        self._target.commit(self._handle, np.arange(len(written)))
        self.stats.write_forwards += 1
        step = self.stats.draft_forwards
        return [Committed(int(token), step, SELF_DRAFT, float(s)) for token, s in zip(ids, sure, strict=True)]

    def _denoise(self, boundary: int, ids: Ids, sure: NDArray[np.float64], hidden: NDArray[np.bool_]) -> None:
        """One step. Slot p predicts position p+1: the boundary's slot predicts the block's first token."""
        window = Window.chain([boundary]).with_blocks([(0, ids)])
        scores = self._target.forward([(self._handle, window)], ScoreDetail.CONFIDENCE)[0]
        self.stats.draft_forwards += 1
        if scores.confidence is None:
            raise ValueError("block diffusion needs the target to give confidences (ScoreDetail.CONFIDENCE)")
        confidence = np.where(hidden, scores.confidence[:-1].astype(np.float64), -np.inf)
        reveal = confidence > self._floor
        reveal[np.argmax(confidence)] = True
        ids[reveal] = scores.argmax[:-1][reveal]
        sure[reveal] = confidence[reveal]
        hidden &= ~reveal
