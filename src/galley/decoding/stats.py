"""Counts and traces of decoding, named and counted as the papers do."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import NamedTuple

from galley.decoding.tree import Source


class Committed(NamedTuple):
    """One committed token.

    Attributes:
        token: its id.
        round: the round that committed it.
        source: who drafted it.
        confidence: the model's log-probability; None where not asked for.
    """

    token: int
    round: int
    source: Source
    confidence: float | None


@dataclass
class Seconds:
    """Wall time by phase. In a batch each sequence is charged its share, so that sums are right.

    Attributes:
        prefill: reading prompts.
        draft: forwards of x0 and masks only.
        verify: all other forwards.
        draft_search: finding free drafts, and drafting with a head or a smaller model.
    """

    prefill: float = 0.0
    draft: float = 0.0
    verify: float = 0.0
    draft_search: float = 0.0

    @property
    def total(self) -> float:
        """All phases together."""
        return self.prefill + self.draft + self.verify + self.draft_search


@dataclass
class Stats:
    """What one sequence, or the sum of several, took.

    Attributes:
        prefill_forwards: prompts read.
        draft_forwards: windows of x0 and masks only.
        verify_forwards: windows with drafted tokens, with or without masks.
        plain_forwards: windows of x0 alone, one autoregressive step.
        write_forwards: causal forwards that only fill the cache (direct block diffusion).
        batch_drafts: drafts of a multi-token-prediction head or of a smaller model, which are not forwards of
            this one.
        tokens: committed tokens with the stop token; the first comes from the prefill.
        slots: window slots computed after the prefill.
        accepted: accepted drafted tokens, one entry per verifying forward.
        seconds: wall time by phase.
    """

    prefill_forwards: int = 0
    draft_forwards: int = 0
    verify_forwards: int = 0
    plain_forwards: int = 0
    write_forwards: int = 0
    batch_drafts: int = 0
    tokens: int = 0
    slots: int = 0
    """window slots computed after the prefill"""
    accepted: list[int] = field(default_factory=list)
    seconds: Seconds = field(default_factory=Seconds)

    @property
    def tpf(self) -> float:
        """Tokens per forward (GravityOCR): committed tokens / (draft + verify forwards); 0 without forwards.

        Neither the prefill nor the token it gives counts, so that the maximum for self-speculation is (B+2)/2.
        Cache-writing forwards of direct diffusion do not count either.
        """
        forwards = self.draft_forwards + self.verify_forwards + self.plain_forwards
        return (self.tokens - self.prefill_forwards) / forwards if forwards else 0.0

    @property
    def aal(self) -> float:
        """Average accepted length (HSD): tokens committed per verifying forward, its free prediction included.

        A plain step verifies nothing and has length 1. The one token that every draft forward gives is not
        counted. 0 where nothing was verified.
        """
        forwards = self.verify_forwards + self.plain_forwards
        return (self.tokens - self.prefill_forwards - self.draft_forwards) / forwards if forwards else 0.0

    @property
    def mean_accepted(self) -> float:
        """Drafted tokens accepted per verify forward (GravityOCR's "of 32"), the free prediction left out."""
        return sum(self.accepted) / len(self.accepted) if self.accepted else 0.0

    def count_forward(self, drafted: int, masks: int, accepted: int, seconds: float) -> None:
        """Count one forward.

        Args:
            drafted: drafted tokens in its window.
            masks: masks in its window.
            accepted: drafted tokens that were committed.
            seconds: this sequence's share of the time.
        """
        self.slots += 1 + drafted + masks
        if drafted:
            self.verify_forwards += 1
            self.accepted.append(accepted)
        elif masks:
            self.draft_forwards += 1
        else:
            self.plain_forwards += 1
        if masks and not drafted:
            self.seconds.draft += seconds
        else:
            self.seconds.verify += seconds

    def add(self, other: Stats) -> None:
        """Add another sequence's counts to these."""
        for item in fields(Stats):
            if item.name == "seconds":
                for phase in fields(Seconds):
                    name = phase.name
                    setattr(self.seconds, name, getattr(self.seconds, name) + getattr(other.seconds, name))
            else:
                setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))
