"""One sequence while it is being decoded: committed tokens, their trace, and when to end."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from galley.decoding.accept import Outcome, Sampling
from galley.decoding.drafters import Drafter
from galley.decoding.guard import Loop
from galley.decoding.penalty import RepetitionPenalty
from galley.decoding.pool import DraftPool
from galley.decoding.request import Finish, Request, Result
from galley.decoding.stats import Committed, Stats
from galley.decoding.target import Handle, ScoreDetail
from galley.decoding.tree import MODEL, Source


class ActiveSequence:
    """State of one request from its prefill to its result."""

    def __init__(
        self, ticket: int, request: Request, pool: DraftPool, drafter: Drafter, stop_ids: frozenset[int]
    ) -> None:
        self.ticket = ticket
        self.request = request
        self.drafter = drafter
        self.handle: Handle = None
        self.stats = Stats()
        self.finish: Finish | None = None
        self.error: Exception | None = None
        self.tokens: list[int] = []
        self.random = np.random.default_rng(_seed(request))
        strength = request.repetition_penalty
        self.penalty = RepetitionPenalty(strength, request.prompt_ids) if strength != 1 else None
        self._stop_ids = stop_ids
        self._guard = request.loop_guard.watch(pool.count) if request.loop_guard else None
        self._loop: Loop | None = None
        self._trace: list[Committed] = []

    @property
    def boundary(self) -> int:
        """x0: the last committed token."""
        return self.tokens[-1]

    @property
    def max_draft(self) -> int:
        """How many drafted tokens could still be committed together with the free one after them."""
        return self.request.max_tokens - len(self.tokens) - 1

    @property
    def detail(self) -> ScoreDetail:
        """The least a forward must give for this sequence."""
        request = self.request
        wanted = [request.acceptance.detail, self.drafter.detail]
        if request.confidence:
            wanted.append(ScoreDetail.CONFIDENCE)
        return ScoreDetail.FULL if self.penalty else most_detailed(wanted)

    def commit(self, outcome: Outcome, sources: Sequence[Source], round_: int) -> None:
        """Take over a round's tokens up to the first that ends the sequence, and report them."""
        before = len(self.tokens)
        for token, source, confidence in zip(
            outcome.tokens, [*sources, MODEL], outcome.confidences, strict=True
        ):
            self._take(Committed(token, round_, source, confidence))
            if self.finish is not None:
                break
        fresh = self.tokens[before:]
        if self.penalty:
            self.penalty.saw(fresh)
        if self.request.on_commit and fresh:
            self.request.on_commit(fresh)

    def result(self) -> Result:
        """The text so far as a result."""
        return Result(
            self.ticket,
            self.tokens,
            self.finish or Finish.CANCELLED,
            self.stats,
            self._trace,
            self._loop,
            self.error,
        )

    def _take(self, committed: Committed) -> None:
        self.stats.tokens += 1
        if committed.token in self._stop_ids:
            self.finish = Finish.STOP
            return
        self.tokens.append(committed.token)
        self._trace.append(committed)
        if self._guard and (loop := self._guard.see(committed.token)):
            self._loop, self.finish = loop, Finish.LOOP
        elif len(self.tokens) >= self.request.max_tokens:
            self.finish = Finish.LENGTH


def most_detailed(wanted: Sequence[ScoreDetail]) -> ScoreDetail:
    """The detail that covers all of these."""
    order = list(ScoreDetail)
    return max(wanted, key=order.index)


def _seed(request: Request) -> int | None:
    return request.acceptance.seed if isinstance(request.acceptance, Sampling) else 0
