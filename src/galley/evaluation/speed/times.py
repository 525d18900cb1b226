"""What was measured, and the figures made of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from galley.decoding import Stats

LENGTHS = ((0, 128), (128, 256), (256, 512), (512, 1024), (1024, None))
"""Bins of output length in AR's tokens, ``[low, high)``."""


@dataclass(frozen=True)
class Decoded:
    """One unit decoded one way.

    Attributes:
        seconds: From start to end, median over repeats.
        decode_seconds: The part after the prefill; None where the decoder does not tell.
        finish: As ``Finish`` says it.
    """

    seconds: float
    decode_seconds: float | None
    stats: Stats
    ids: Sequence[int]
    text: str
    finish: str


@dataclass(frozen=True)
class UnitTimes:
    """One unit decoded each way."""

    name: str
    kind: str
    ways: dict[str, Decoded]


@dataclass(frozen=True)
class PageTimes:
    """One page read each way.

    Attributes:
        seconds: Median seconds by way.
        quality: Likeness to the truth (to the autoregressive text where none is known), 0 to 1, by way.
        same: Whether the text is the autoregressive one, by way.
    """

    name: str
    seconds: dict[str, float]
    quality: dict[str, float]
    same: dict[str, bool]


@dataclass(frozen=True)
class BatchTimes:
    """All units decoded ``batch`` at a time.

    Attributes:
        differing: Units whose ids are not AR's at batch 1.
    """

    batch: int
    seconds: dict[str, float]
    tokens: dict[str, int]
    differing: dict[str, int]


@dataclass(frozen=True)
class TauTimes:
    """All units at one acceptance threshold.

    Attributes:
        likeness: Of the texts to the autoregressive ones, 0 to 1, mean over units.
        ar_seconds: Seconds of autoregressive decoding, measured in turn with it.
        ar_tokens: Tokens of autoregressive decoding.
    """

    tau: float
    seconds: float
    tokens: int
    tpf: float
    aal: float
    likeness: float
    ar_seconds: float
    ar_tokens: int

    @property
    def ratio(self) -> float | None:
        """Tokens per second as a multiple of AR's."""
        return over(_rate(self.tokens, self.seconds), _rate(self.ar_tokens, self.ar_seconds))


@dataclass
class Times:
    """A whole run.

    Attributes:
        setting: Where and with what it ran.
        differences: Exact decodings that wrote other ids.
    """

    setting: dict[str, Any]
    ways: list[str]
    pages: list[PageTimes] = field(default_factory=list)
    units: list[UnitTimes] = field(default_factory=list)
    batches: list[BatchTimes] = field(default_factory=list)
    taus: list[TauTimes] = field(default_factory=list)
    tau_way: str = ""
    has_truth: bool = False
    differences: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def decode_rate(units: Iterable[UnitTimes], way: str) -> float | None:
    """Tokens per second after the prefill, whose token is not counted; None where it is not known."""
    runs = [unit.ways[way] for unit in units]
    known = [run for run in runs if run.decode_seconds is not None]
    if len(known) < len(runs):
        return None
    return _rate(
        sum(max(0, run.stats.tokens - 1) for run in known), sum(run.decode_seconds or 0 for run in known)
    )


def full_rate(units: Iterable[UnitTimes], way: str) -> float | None:
    """Tokens per second with the prefill."""
    runs = [unit.ways[way] for unit in units]
    return _rate(sum(run.stats.tokens for run in runs), sum(run.seconds for run in runs))


def together(units: Iterable[UnitTimes], way: str) -> Stats:
    """Counts of all units."""
    total = Stats()
    for unit in units:
        total.add(unit.ways[way].stats)
    return total


def length_bins(units: Sequence[UnitTimes], reference: str) -> dict[str, list[UnitTimes]]:
    """Units by the number of tokens that the reference way wrote; empty bins are left out."""
    bins: dict[str, list[UnitTimes]] = {}
    for low, high in LENGTHS:
        name = f"< {high}" if low == 0 else f"≥ {low}" if high is None else f"{low}–{high - 1}"
        inside = [u for u in units if low <= u.ways[reference].stats.tokens < (high or float("inf"))]
        if inside:
            bins[name] = inside
    return bins


def kind_bins(units: Sequence[UnitTimes]) -> dict[str, list[UnitTimes]]:
    """Units by what was read."""
    bins: dict[str, list[UnitTimes]] = {}
    for unit in units:
        bins.setdefault(unit.kind, []).append(unit)
    return bins


def over(value: float | None, reference: float | None) -> float | None:
    """The ratio of two rates; None where one is not known."""
    return None if value is None or not reference else value / reference


def _rate(count: float, seconds: float) -> float | None:
    return count / seconds if seconds > 0 else None
