"""The decoder: rounds of draft, forward, accept and commit over a batch that sequences join and leave."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from galley.decoding.accept import accept_path, first_token
from galley.decoding.budget import ForwardCosts, Throughput
from galley.decoding.drafters import (
    BatchDrafter,
    BatchItem,
    DecoderContext,
    DrafterConfig,
    DraftWindow,
    drafter_config,
)
from galley.decoding.pool import DraftPool, TokenKey, in_vocabulary
from galley.decoding.queue import RequestQueue
from galley.decoding.request import Finish, Request, Result
from galley.decoding.sequence import ActiveSequence, most_detailed
from galley.decoding.stats import Stats
from galley.decoding.target import Scores, Target
from galley.decoding.window import Ids, Window

Answer = TypeVar("Answer")

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class _Step:
    """What one sequence does in one round."""

    sequence: ActiveSequence
    draft: DraftWindow
    window: Window


class Decoder(RequestQueue):
    """Decodes requests with draft-and-verify, up to ``max_batch`` at a time.

    drafter: a name of ``galley.decoding.drafters.DRAFTERS`` or settings; a request may have its own. key: what
    drafts given as ids are compared by (see ``TokenKey``). costs: seconds of a forward by slots; measured on the
    first sequence where a drafter needs them and none are given.

    Every forward carries every running sequence, each with the window it needs: some draft, some verify,
    none waits. ``add`` and ``cancel`` may be called from other threads while one thread calls ``step``.
    """

    def __init__(
        self,
        target: Target,
        drafter: str | DrafterConfig = "auto",
        *,
        max_batch: int = 8,
        key: TokenKey = chr,
        costs: ForwardCosts | None = None,
    ) -> None:
        if max_batch < 1:
            raise ValueError(f"max_batch is at least 1, not {max_batch}")
        super().__init__()
        self.target = target
        self.stats = Stats()
        self.forwards = 0
        """forwards as the device ran them, a whole batch counting once; prefills not among them"""
        self._drafter_config = drafter_config(drafter)
        self._max_batch = max_batch
        self._key = key
        self._running: list[ActiveSequence] = []
        self._round = 0
        self._costs_known = costs is not None
        known = costs or ForwardCosts.flat()
        self._context = DecoderContext(target, known, Throughput(known))

    @property
    def costs(self) -> ForwardCosts:
        """The cost table in use, so that it can be kept for another decoder of the same model."""
        return self._context.costs

    def step(self) -> list[Result]:
        """One round of every running sequence, after new ones joined. Resteps what finished."""
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
        joining: list[ActiveSequence] = []
        over: list[Result] = []
        while self._waiting and len(self._running) + len(joining) < self._max_batch:
            ticket, request = self._waiting.popleft()
            if ticket in self._cancelled:
                over.append(self._unstarted(ticket, request, Finish.CANCELLED))
                continue
            try:
                joining.append(self._start(ticket, request))
            except Exception as error:
                over.append(self._unstarted(ticket, request, Finish.ERROR, error))
        if joining:
            self._prefill(joining)
        self._running += joining
        return over

    def _start(self, ticket: int, request: Request) -> ActiveSequence:
        drafts, size = request.drafts, self.target.vocab_size
        if not isinstance(drafts, DraftPool):
            drafts = DraftPool([in_vocabulary(draft, size) for draft in drafts], self._key)
        config = request.drafter or self._drafter_config
        drafter = config.start(self._context, drafts, request.prompt_ids, request.prompt)
        return ActiveSequence(ticket, request, drafts, drafter, self.target.stop_ids)

    def _prefill(self, joining: list[ActiveSequence]) -> None:
        detail = most_detailed([sequence.detail for sequence in joining])

        def prefill(sequences: list[ActiveSequence]) -> list[tuple[Any, Scores]]:
            return self.target.prefill([sequence.request.prompt for sequence in sequences], detail)

        start = time.perf_counter()
        read = _isolated(joining, prefill)
        share = (time.perf_counter() - start) / len(joining)
        for sequence, answer in read:
            sequence.handle = answer[0]
            sequence.stats.prefill_forwards = 1
            sequence.stats.seconds.prefill = share
            with _failing(sequence):
                random, penalty = sequence.random, sequence.penalty
                outcome = first_token(answer[1], sequence.request.acceptance, random, penalty)
                sequence.commit(outcome, [], self._round)
        self._measure_costs([sequence for sequence, _ in read if sequence.finish is None])

    def _measure_costs(self, sequences: list[ActiveSequence]) -> None:
        for sequence in sequences:
            config = sequence.request.drafter or self._drafter_config
            if self._costs_known or not config.needs_costs:
                continue
            with _failing(sequence):
                self._context.costs = ForwardCosts.measure(self.target, sequence.handle, sequence.boundary)
                self._context.throughput = Throughput(self._context.costs)
                self._costs_known = True

    # A round

    def _advance(self) -> None:
        start = time.perf_counter()
        steps = self._draft()
        share = (time.perf_counter() - start) / len(self._running)
        for sequence in self._running:
            sequence.stats.seconds.draft_search += share
        if not steps:
            return
        start = time.perf_counter()
        answers = self._forward(steps)
        share = (time.perf_counter() - start) / len(steps)
        committed = sum(self._settle(step, scores, share) for step, scores in answers)
        slots = sum(len(step.window) for step, _ in answers)
        if slots:
            self._context.throughput.see(committed, float(self._context.costs.share(slots)))

    def _draft(self) -> list[_Step]:
        self._context.batch = len(self._running)
        wanted: dict[ActiveSequence, int] = {}
        for sequence in self._running:
            with _failing(sequence):
                wanted[sequence] = sequence.drafter.prepare(sequence.tokens, sequence.max_draft)
        drafted = self._batch_drafts(wanted)
        steps = []
        for sequence in wanted:
            if sequence.finish is None:
                with _failing(sequence):
                    draft = sequence.drafter.draft(drafted.get(sequence))
                    steps.append(_Step(sequence, draft, draft.window()))
        return steps

    def _batch_drafts(self, wanted: Mapping[ActiveSequence, int]) -> dict[ActiveSequence, Ids]:
        """Tokens of heads and smaller models for the sequences that want some, one batch for each of them."""
        groups: dict[int, list[ActiveSequence]] = {}
        for sequence, length in wanted.items():
            if length > 0 and sequence.drafter.batch is not None:
                groups.setdefault(id(sequence.drafter.batch), []).append(sequence)
        found: dict[ActiveSequence, Ids] = {}
        for sequences in groups.values():
            batch_drafter = sequences[0].drafter.batch
            assert batch_drafter is not None

            def draft(batch: list[ActiveSequence], batch_drafter: BatchDrafter = batch_drafter) -> list[Ids]:
                return batch_drafter.draft([BatchItem(s.drafter.asking, s.handle, wanted[s]) for s in batch])

            for sequence, tokens in _isolated(sequences, draft):
                sequence.stats.batch_drafts += 1
                found[sequence] = tokens
        return found

    def _forward(self, steps: list[_Step]) -> list[tuple[_Step, Scores]]:
        detail = most_detailed([step.sequence.detail for step in steps])
        by_sequence = {step.sequence: step for step in steps}

        def forward(batch: list[ActiveSequence]) -> list[Scores]:
            self.forwards += 1
            return self.target.forward([(s.handle, by_sequence[s].window) for s in batch], detail)

        return [(by_sequence[s], scores) for s, scores in _isolated(list(by_sequence), forward)]

    def _settle(self, step: _Step, scores: Scores, seconds: float) -> int:
        """Accept, commit and count one sequence's round; resteps the number of tokens committed."""
        sequence, tree = step.sequence, step.draft.tree
        before = sequence.stats.tokens
        with _failing(sequence):
            rule = sequence.request.acceptance
            outcome = accept_path(step.window, scores, rule, sequence.random, sequence.penalty)
            sequence.commit(outcome, [tree.sources[slot] for slot in outcome.slots[1:]], self._round)
            committed = sequence.stats.tokens - before
            accepted, drafted = min(outcome.accepted, committed), len(tree) - 1
            sequence.stats.count_forward(drafted, len(step.window) - len(tree), accepted, seconds)
            if sequence.finish is None:
                self.target.commit(sequence.handle, np.asarray(outcome.slots, dtype=np.int64))
                sequence.drafter.observe(step.draft, scores, outcome)
        return sequence.stats.tokens - before

    # Leaving

    def _sweep(self) -> list[Result]:
        """Take finished sequences out of the batch and free what the target holds for them."""
        over = [sequence for sequence in self._running if sequence.finish is not None]
        self._running = [sequence for sequence in self._running if sequence.finish is None]
        for sequence in over:
            with _failing(sequence):
                sequence.drafter.close()
            with _failing(sequence):
                if sequence.handle is not None:
                    self.target.release(sequence.handle)
            self.stats.add(sequence.stats)
        return [self._over(sequence.request, sequence.result()) for sequence in over]


@contextmanager
def _failing(sequence: ActiveSequence) -> Iterator[None]:
    """An exception inside ends this sequence with an error, keeping what it wrote, and spares the others."""
    try:
        yield
    except Exception as error:
        _log.debug("sequence %d failed", sequence.ticket, exc_info=True)
        sequence.finish, sequence.error = Finish.ERROR, error


def _isolated(
    sequences: list[ActiveSequence], call: Callable[[list[ActiveSequence]], list[Answer]]
) -> list[tuple[ActiveSequence, Answer]]:
    """Answers of a batched call. If it fails, each sequence is tried alone and only those that fail end."""
    try:
        return list(zip(sequences, call(sequences), strict=True))
    except Exception as error:
        if len(sequences) == 1:
            with _failing(sequences[0]):
                raise error
            return []
    return [pair for sequence in sequences for pair in _isolated([sequence], call)]
