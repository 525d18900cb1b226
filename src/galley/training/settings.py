"""How to train, checked where it is said."""

from __future__ import annotations

import math
from dataclasses import dataclass

from galley.errors import UsageError

PRECISIONS = ("bf16", "fp32")


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes:
        steps: The step to stop at.
        rows, capacity: A batch of each process.
        rate: Peak learning rate (of AdamW; matrices of hidden layers, trained by Muon, take ``matrix_rate``).
        warmup: Steps of linear rise.
        decay: Last steps over which rates fall to zero; 0 keeps them, so that a run can go on.
        ar_weight: w of the joint loss.
        minutes: Time between checkpoints.
        precision: ``bf16`` (autocast, master weights fp32) or ``fp32``.

    Raises:
        UsageError: For a value that makes no sense.
    """

    steps: int
    rows: int = 4
    capacity: int = 1024
    rate: float = 1e-3
    matrix_rate: float = 0.01
    warmup: int = 100
    decay: int = 0
    weight_decay: float = 0.01
    clip: float = 1.0
    ar_weight: float = 1.0
    minutes: float = 10.0
    validate_minutes: float = 40.0
    log_every: int = 10
    seed: int = 1
    precision: str = "bf16"

    def __post_init__(self) -> None:
        for name in ("steps", "rows", "capacity", "log_every"):
            at_least(name, getattr(self, name), 1)
        for name in ("rate", "matrix_rate", "warmup", "decay", "weight_decay", "ar_weight", "seed"):
            at_least(name, getattr(self, name), 0)
        for name in ("clip", "minutes", "validate_minutes"):
            above(name, getattr(self, name), 0)
        if self.precision not in PRECISIONS:
            raise UsageError(f"precision {self.precision!r}: know {', '.join(PRECISIONS)}")


def at_least(name: str, value: float, least: float) -> None:
    """``UsageError`` unless ``value`` is a number of at least ``least``."""
    if not math.isfinite(value) or value < least:
        raise UsageError(f"{_in_words(name)} must be a number of at least {least:g}, not {value}")


def above(name: str, value: float, bound: float) -> None:
    """``UsageError`` unless ``value`` is a number above ``bound``."""
    if not math.isfinite(value) or value <= bound:
        raise UsageError(f"{_in_words(name)} must be a number above {bound:g}, not {value}")


def _in_words(name: str) -> str:
    return name.replace("_", " ")
