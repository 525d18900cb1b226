"""The decoder: rounds of propose, forward, accept and commit over a batch that sequences join and leave."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from galley.decoding.accept import first_token, walk
from galley.decoding.auto import Auto
from galley.decoding.budget import Costs, Pace
from galley.decoding.pool import DraftPool, TokenKey, known
from galley.decoding.proposers import (
    BlockDiffusion,
    Match,
    Mtp,
    Plain,
    PromptLookup,
    Proposal,
    Proposals,
    Shared,
)
from galley.decoding.queue import RequestQueue
from galley.decoding.request import Finish, Request, Result
from galley.decoding.sequence import Sequence, most
from galley.decoding.stats import Stats
from galley.decoding.target import Scores, Target
from galley.decoding.window import Ids, Window

Answer = TypeVar("Answer")

_log = logging.getLogger(__name__)

PROPOSERS: Mapping[str, Callable[[], Proposals]] = {
    "none": Plain,
    "match": Match,
    "block_diffusion": BlockDiffusion,
    "mtp": Mtp,
    "prompt_lookup": PromptLookup,
    "auto": Auto,
}
"""Names of the proposers, each with its usual settings."""


@dataclass(eq=False)
class _Turn:
    """What one sequence does in one round."""

    sequence: Sequence
    proposal: Proposal
    window: Window


class Decoder(RequestQueue):
    """Decodes requests with draft-and-verify, up to ``max_batch`` at a time.

    proposer: a name of ``PROPOSERS`` or settings; a request may have its own. key: what drafts given as ids
    are compared by (see ``TokenKey``). costs: seconds of a forward by slots; measured on the first sequence
    where a proposer needs them and none are given.

    Every forward carries every running sequence, each with the window it needs: some draft, some verify,
    none waits. ``add`` and ``cancel`` may be called from other threads while one thread calls ``step``.
    """

    def __init__(
        self,
        target: Target,
        proposer: str | Proposals = "auto",
        *,
        max_batch: int = 8,
        key: TokenKey = chr,
        costs: Costs | None = None,
    ) -> None:
        if max_batch < 1:
            raise ValueError(f"max_batch is at least 1, not {max_batch}")
        super().__init__()
        self.target = target
        self.stats = Stats()
        self.forwards = 0
        """forwards as the device ran them, a whole batch counting once; prefills not among them"""
        self._proposer = named(proposer)
        self._max_batch = max_batch
        self._key = key
        self._running: list[Sequence] = []
        self._round = 0
        self._costs_known = costs is not None
        known = costs or Costs.flat()
        self._shared = Shared(target, known, Pace(known))

    @property
    def costs(self) -> Costs:
        """The cost table in use, so that it can be kept for another decoder of the same model."""
        return self._shared.costs

    def step(self) -> list[Result]:
        """One round of every running sequence, after new ones joined. Returns what finished."""
        self._cancel_running()
        results = self._sweep() + self._admit() + self._sweep()
        if self._running:
            self._round += 1
            self._advance()
        return results + self._sweep()

    def _cancel_running(self) -> None:
        for sequence in self._running:
            if sequence.ticket in self._cancelled:
                sequence.finish = Finish.CANCELLED

    # Joining

    def _admit(self) -> list[Result]:
        """Start waiting requests while there are places; results of those that cannot start."""
        joining: list[Sequence] = []
        over: list[Result] = []
        while self._waiting and len(self._running) + len(joining) < self._max_batch:
            ticket, request = self._waiting.popleft()
            if ticket in self._cancelled:
                over.append(self._unstarted(ticket, Finish.CANCELLED))
                continue
            try:
                joining.append(self._start(ticket, request))
            except Exception as error:
                over.append(self._unstarted(ticket, Finish.ERROR, error))
        if joining:
            self._prefill(joining)
        self._running += joining
        return over

    def _start(self, ticket: int, request: Request) -> Sequence:
        drafts, size = request.drafts, self.target.vocab_size
        if not isinstance(drafts, DraftPool):
            drafts = DraftPool([known(draft, size) for draft in drafts], self._key)
        proposals = request.proposer or self._proposer
        proposer = proposals.start(self._shared, drafts, known(request.prompt_ids, size))
        return Sequence(ticket, request, drafts, proposer, self.target.stop_ids)

    def _prefill(self, joining: list[Sequence]) -> None:
        need = most([sequence.need for sequence in joining])

        def prefill(sequences: list[Sequence]) -> list[tuple[Any, Scores]]:
            return self.target.prefill([sequence.request.prompt for sequence in sequences], need)

        start = time.perf_counter()
        read = _isolated(joining, prefill)
        share = (time.perf_counter() - start) / len(joining)
        for sequence, answer in read:
            sequence.handle = answer[0]
            sequence.stats.prefill_forwards = 1
            sequence.stats.seconds.prefill = share
            with _blaming(sequence):
                random, penalty = sequence.random, sequence.penalty
                outcome = first_token(answer[1], sequence.request.acceptance, random, penalty)
                sequence.commit(outcome, [], self._round)
        self._measure_costs([sequence for sequence, _ in read if sequence.finish is None])

    def _measure_costs(self, sequences: list[Sequence]) -> None:
        for sequence in sequences:
            proposals = sequence.request.proposer or self._proposer
            if self._costs_known or not proposals.needs_costs:
                continue
            with _blaming(sequence):
                self._shared.costs = Costs.measure(self.target, sequence.handle, sequence.boundary)
                self._shared.pace = Pace(self._shared.costs)
                self._costs_known = True

    # A round

    def _advance(self) -> None:
        start = time.perf_counter()
        turns = self._propose()
        share = (time.perf_counter() - start) / len(self._running)
        for sequence in self._running:
            sequence.stats.seconds.propose += share
        if not turns:
            return
        start = time.perf_counter()
        answers = self._forward(turns)
        share = (time.perf_counter() - start) / len(turns)
        committed = sum(self._settle(turn, scores, share) for turn, scores in answers)
        slots = sum(len(turn.window) for turn, _ in answers)
        if slots:
            self._shared.pace.see(committed, float(self._shared.costs.share(slots)))

    def _propose(self) -> list[_Turn]:
        self._shared.batch = len(self._running)
        wishes: dict[Sequence, int] = {}
        for sequence in self._running:
            with _blaming(sequence):
                wishes[sequence] = sequence.proposer.look(sequence.tokens, sequence.room)
        drafted = self._mtp([sequence for sequence, depth in wishes.items() if depth > 0], wishes)
        turns = []
        for sequence in wishes:
            if sequence.finish is None:
                with _blaming(sequence):
                    proposal = sequence.proposer.propose(drafted.get(sequence))
                    turns.append(_Turn(sequence, proposal, proposal.window()))
        return turns

    def _mtp(self, sequences: list[Sequence], wishes: Mapping[Sequence, int]) -> dict[Sequence, Ids]:
        """Tokens of the multi-token-prediction head for the sequences that want some, drafted in one
        batch."""
        if not sequences:
            return {}
        head: Any = self.target
        depth = max(wishes[sequence] for sequence in sequences)

        def draft(batch: list[Sequence]) -> list[Ids]:
            return head.mtp([(sequence.handle, sequence.boundary) for sequence in batch], depth)

        found: dict[Sequence, Ids] = {}
        for sequence, tokens in _isolated(sequences, draft):
            sequence.stats.mtp_drafts += 1
            found[sequence] = tokens[: wishes[sequence]]
        return found

    def _forward(self, turns: list[_Turn]) -> list[tuple[_Turn, Scores]]:
        need = most([turn.sequence.need for turn in turns])
        by_sequence = {turn.sequence: turn for turn in turns}

        def forward(batch: list[Sequence]) -> list[Scores]:
            self.forwards += 1
            return self.target.forward([(s.handle, by_sequence[s].window) for s in batch], need)

        return [(by_sequence[s], scores) for s, scores in _isolated(list(by_sequence), forward)]

    def _settle(self, turn: _Turn, scores: Scores, seconds: float) -> int:
        """Accept, commit and count one sequence's round; returns the number of tokens committed."""
        sequence, tree = turn.sequence, turn.proposal.tree
        before = sequence.stats.tokens
        with _blaming(sequence):
            rule = sequence.request.acceptance
            outcome = walk(turn.window, scores, rule, sequence.random, sequence.penalty)
            sequence.commit(outcome, [tree.sources[slot] for slot in outcome.slots[1:]], self._round)
            committed = sequence.stats.tokens - before
            accepted, drafted = min(outcome.accepted, committed), len(tree) - 1
            sequence.stats.count_forward(drafted, len(turn.window) - len(tree), accepted, seconds)
            if sequence.finish is None:
                self.target.commit(sequence.handle, np.asarray(outcome.slots, dtype=np.int64))
                sequence.proposer.follow(turn.proposal, scores, outcome)
        return sequence.stats.tokens - before

    # Leaving

    def _sweep(self) -> list[Result]:
        """Take finished sequences out of the batch and free what the target holds for them."""
        over = [sequence for sequence in self._running if sequence.finish is not None]
        self._running = [sequence for sequence in self._running if sequence.finish is None]
        for sequence in over:
            with _blaming(sequence):
                if sequence.handle is not None:
                    self.target.release(sequence.handle)
            self.stats.add(sequence.stats)
            self._forget(sequence.ticket)
        return [sequence.result() for sequence in over]


def named(proposer: str | Proposals) -> Proposals:
    """Settings of a proposer from its name; settings are returned as they are."""
    if not isinstance(proposer, str):
        return proposer
    if proposer not in PROPOSERS:
        raise ValueError(f"no proposer is called {proposer!r}; there are {', '.join(PROPOSERS)}")
    return PROPOSERS[proposer]()


@contextmanager
def _blaming(sequence: Sequence) -> Iterator[None]:
    """An exception inside ends this sequence with an error, keeping what it wrote, and spares the others."""
    try:
        yield
    except Exception as error:
        _log.debug("sequence %d failed", sequence.ticket, exc_info=True)
        sequence.finish, sequence.error = Finish.ERROR, error


def _isolated(
    sequences: list[Sequence], call: Callable[[list[Sequence]], list[Answer]]
) -> list[tuple[Sequence, Answer]]:
    """Answers of a batched call. If it fails, each sequence is tried alone and only those that fail end."""
    try:
        return list(zip(sequences, call(sequences), strict=True))
    except Exception as error:
        if len(sequences) == 1:
            with _blaming(sequences[0]):
                raise error
            return []
    return [pair for sequence in sequences for pair in _isolated([sequence], call)]
