"""Which response tokens each corrupted stream hides (GravityOCR, section 4: complementary masking)."""

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
    """p = 1: one-shot drafting as decoding does it; stream B would hide nothing and is left out"""

    @property
    def streams(self) -> int:
        """Corrupted copies of the response that carry supervision."""
        return 1 if self is Schedule.ALL_MASK else 2


def fill_with_eos(response: NDArray[np.int64], eos: int, block_size: int) -> NDArray[np.int64]:
    """The response followed by exactly ``block_size`` end tokens."""
    return np.concatenate([response, np.full(block_size, eos, dtype=np.int64)])


def hide(length: int, block_size: int, schedule: Schedule, rng: np.random.Generator) -> NDArray[np.bool_]:
    """(length,) tokens that stream A hides; stream B hides all others. One probability per block."""
    blocks = -(-length // block_size)
    t = rng.random(blocks)
    if schedule is Schedule.UNIFORM:
        probability = (1 - FLOOR) * t + FLOOR
    elif schedule is Schedule.COSINE:
        probability = np.maximum(np.cos(np.pi * t / 2), FLOOR)
    else:
        probability = np.ones(blocks)
    return rng.random(length) < np.repeat(probability, block_size)[:length]
