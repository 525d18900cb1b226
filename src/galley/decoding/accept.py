"""Acceptance: which path of a verified window is committed, and the token that the model itself writes behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley.decoding.penalty import RepetitionPenalty
from galley.decoding.target import ScoreDetail, Scores
from galley.decoding.window import Window


@dataclass(frozen=True, eq=False)
class Prediction:
    """What the model predicts after one slot.

    Attributes:
        best: its arg-max.
        offers: the drafted tokens that stand after this slot, and for each its log-probability relative to
            ``best`` (nan where it was not asked for).
        row: (vocabulary,) log-probabilities up to a constant, penalty applied; None where not asked for.
    """

    best: int
    offers: dict[int, float]
    row: NDArray[np.float32] | None


class Acceptance(Protocol):
    """A rule that names the next token. The walk goes on as long as that token is drafted."""

    detail: ScoreDetail

    def choose(self, prediction: Prediction, random: np.random.Generator) -> int:
        """The token to commit after this slot; uses at most one random number, the same for any draft."""
        ...


@dataclass(frozen=True)
class Exact:
    """The model's own greedy choice, so that output equals greedy decoding whatever is drafted."""

    detail = ScoreDetail.ARGMAX

    def choose(self, prediction: Prediction, random: np.random.Generator) -> int:
        """See ``Acceptance.choose``."""
        return prediction.best


@dataclass(frozen=True)
class Threshold:
    """The likeliest drafted child u* while log p(u*) - log p(best) >= log tau; else the best token (HSD, section 3).

    Attributes:
        tau: in (0, 1]; 1 is exact greedy up to ties, HSD uses 0.75.
    """

    tau: float = 0.75
    detail = ScoreDetail.DRAFTED

    def __post_init__(self) -> None:
        if not 0 < self.tau <= 1:
            raise ValueError(f"tau is a probability ratio above 0 and at most 1, not {self.tau}")

    def choose(self, prediction: Prediction, random: np.random.Generator) -> int:
        """See ``Acceptance.choose``."""
        offers = prediction.offers
        if not offers or prediction.best in offers:
            return prediction.best
        likeliest = max(offers, key=offers.__getitem__)
        if math.isnan(offers[likeliest]):
            raise ValueError(
                "tau needs the target to give log-probabilities of drafted tokens (ScoreDetail.DRAFTED)"
            )
        return likeliest if offers[likeliest] >= math.log(self.tau) else prediction.best


@dataclass(frozen=True)
class Sampling:
    """Samples from the target's distribution; drafts change the speed only.

    Drafts are deterministic, so they propose with probability 1. Speculative sampling then accepts a drafted
    token with probability p(token), and otherwise samples from p without it. To sample from p, and to go on where
    the sample was drafted, is the same rule for chains and trees. With one random number per committed token, a
    seed gives the same text with and without drafts.

    Attributes:
        temperature: divides the logits.
        seed: of the random numbers; None for a new one.
    """

    temperature: float = 1.0
    seed: int | None = None
    detail = ScoreDetail.FULL

    def __post_init__(self) -> None:
        if not self.temperature > 0:
            raise ValueError("temperature is above 0; use Exact() for greedy decoding")

    def choose(self, prediction: Prediction, random: np.random.Generator) -> int:
        """See ``Acceptance.choose``."""
        if prediction.row is None:
            raise ValueError("sampling needs the target to give log-probabilities (ScoreDetail.FULL)")
        scaled = prediction.row.astype(np.float64) / self.temperature
        cumulative = np.cumsum(np.exp(scaled - scaled.max()))
        token = np.searchsorted(cumulative, random.random() * cumulative[-1], side="right")
        return int(min(token, len(cumulative) - 1))


@dataclass
class Outcome:
    """The accepted path.

    Attributes:
        slots: window slots whose keys and values are kept, x0 first.
        tokens: what is committed: the drafted tokens of the path and one more, the model's own.
        confidences: the model's log-probability of each token, before penalty and temperature; None where not
            asked for.
    """

    slots: list[int] = field(default_factory=lambda: [0])
    tokens: list[int] = field(default_factory=list)
    confidences: list[float | None] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        """Drafted tokens that were accepted."""
        return len(self.slots) - 1


def accept_path(
    window: Window,
    scores: Scores,
    rule: Acceptance,
    random: np.random.Generator,
    penalty: RepetitionPenalty | None = None,
) -> Outcome:
    """Follow the drafted tokens from slot 0 for as long as the rule names one of them."""
    outcome = Outcome()
    while True:
        slot = outcome.slots[-1]
        children = {int(window.tokens[child]): child for child in window.children[slot]}
        row = _row(scores, slot, penalty, outcome.tokens)
        token = rule.choose(_prediction(scores, slot, row, children, penalty is not None), random)
        confidence = _confidence(scores, slot, token, children.get(token))
        if confidence is not None and math.isnan(confidence):
            raise ArithmeticError("the model's scores are not numbers; try --device cpu, or other weights")
        outcome.tokens.append(token)
        outcome.confidences.append(confidence)
        if token not in children:
            return outcome
        outcome.slots.append(children[token])


def first_token(
    scores: Scores, rule: Acceptance, random: np.random.Generator, penalty: RepetitionPenalty | None = None
) -> Outcome:
    """The token that follows the prompt: an accepted path from the prompt's last slot, without drafts."""
    return accept_path(Window.chain([0]), scores, rule, random, penalty)


def _row(
    scores: Scores, slot: int, penalty: RepetitionPenalty | None, path: Sequence[int]
) -> NDArray[np.float32] | None:
    if penalty is not None:
        return penalty.logits(scores, slot, path)
    return None if scores.logprobs is None else scores.logprobs[slot]


def _prediction(
    scores: Scores,
    slot: int,
    row: NDArray[np.float32] | None,
    children: dict[int, int],
    penalised: bool,
) -> Prediction:
    best = int(np.argmax(row)) if penalised and row is not None else int(scores.argmax[slot])
    if row is not None:
        offers = {token: float(row[token] - row[best]) for token in children}
    elif scores.drafted is not None and scores.confidence is not None:
        offers = {token: float(scores.drafted[c] - scores.confidence[slot]) for token, c in children.items()}
    else:
        offers = dict.fromkeys(children, math.nan)
    return Prediction(best, offers, row)


def _confidence(scores: Scores, slot: int, token: int, child: int | None) -> float | None:
    if scores.logprobs is not None:
        return float(scores.logprobs[slot, token])
    if scores.confidence is not None and token == scores.argmax[slot]:
        return float(scores.confidence[slot])
    if scores.drafted is not None and child is not None:
        return float(scores.drafted[child])
    return None
