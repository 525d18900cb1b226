"""Which response tokens each corrupted stream masks (GravityOCR, section 3.1: complementary masks)."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

FLOOR = 1e-3
"""Least mask probability, so that no block is ever without a masked token in expectation."""


class Schedule(str, Enum):
    """How the mask probability of a block is drawn from t ~ U(0, 1)."""

    UNIFORM = "uniform"
    """p = (1 − 10⁻³) t + 10⁻³"""
    COSINE = "cosine"
    """p = cos(π t / 2): more blocks that are nearly all masks"""
    ALL_MASK = "all-mask"
    """p = 1: one-shot drafting as decoding does it; stream B would mask nothing and is left out"""
    MIXED = "mixed"
    """for each document ``uniform`` or ``all-mask``, with equal probability: drafting in one shot stays the cheap
    common case, and logits at visible slots, which drafting in steps and direct diffusion use, are trained too"""

    @property
    def streams(self) -> int:
        """Corrupted copies of the response that carry labels, at most."""
        return 1 if self is Schedule.ALL_MASK else 2

    def draw(self, rng: np.random.Generator) -> Schedule:
        """The schedule of one document: itself, but for ``mixed``."""
        if self is not Schedule.MIXED:
            return self
        return Schedule.UNIFORM if rng.random() < 0.5 else Schedule.ALL_MASK


def fill_with_eos(response: NDArray[np.int64], eos: int, block_size: int) -> NDArray[np.int64]:
    """The response followed by exactly ``block_size`` end tokens."""
    return np.concatenate([response, np.full(block_size, eos, dtype=np.int64)])


def masks(
    length: int, block_size: int, schedule: Schedule, rng: np.random.Generator
) -> list[NDArray[np.bool_]]:
    """The tokens that each corrupted stream masks, (length,) each: every token is masked in exactly one stream.

    ``schedule`` is that of one document (see ``Schedule.draw``); each block has a mask probability of its own.
    """
    blocks = -(-length // block_size)
    t = rng.random(blocks)
    if schedule is Schedule.UNIFORM:
        probability = (1 - FLOOR) * t + FLOOR
    elif schedule is Schedule.COSINE:
        probability = np.maximum(np.cos(np.pi * t / 2), FLOOR)
    elif schedule is Schedule.ALL_MASK:
        return [np.ones(length, dtype=bool)]
    else:
        raise ValueError(f"the schedule {schedule.value} is drawn for a document first")
    masked = rng.random(length) < np.repeat(probability, block_size)[:length]
    return [masked, ~masked]
