"""Requests → vLLM → results: the interface of ``galley.decoding.Decoder`` over an engine that decodes itself."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vllm import SamplingParams
from vllm.sampling_params import RequestOutputKind

from galley.decoding import DraftPool, Exact, Finish, Request, Result, Sampling, Stats, TokenKey
from galley.decoding.accept import Outcome
from galley.decoding.drafters import DrafterConfig
from galley.decoding.queue import RequestQueue
from galley.decoding.sequence import ActiveSequence
from galley.engines.chain import ChainDrafter, Masks, start
from galley.engines.vllm.drafter import SEQUENCE
from galley.engines.vllm.engine import Inbox, SharedEngine
from galley.errors import UsageError


@dataclass(frozen=True)
class Model:
    """What a decoder must know about the engine's model.

    Attributes:
        enter: From a request's prompt to the engine's.
        longest: Tokens of a chain, as the engine was built for.
    """

    enter: Callable[[Any], dict[str, Any]]
    stop_ids: frozenset[int]
    masks: Masks
    key: TokenKey
    longest: int


@dataclass(eq=False)
class _Running:
    """A sequence in the engine: its name there and all tokens it wrote, the stop token included."""

    sequence: ActiveSequence
    drafter: ChainDrafter
    name: str
    written: list[int] = field(default_factory=list)
    counted: int = 0


class VllmDecoder(RequestQueue):
    """Decodes requests in a vLLM engine, which batches them with those of other decoders.

    Args:
        config: What drafts; a request may have its own. ``add`` and ``cancel`` may be called from other threads
            while one thread calls ``step``.
    """

    def __init__(self, engine: SharedEngine, model: Model, config: DrafterConfig) -> None:
        super().__init__()
        self._engine, self._model, self._config = engine, model, config
        self.stats = Stats()
        self._running: dict[int, _Running] = {}
        self._by_name: dict[str, _Running] = {}
        self._inbox: Inbox = deque()
        self._round = 0

    def step(self) -> list[Result]:
        """One step of the engine, after new requests joined.

        Returns:
            What finished.
        """
        results = self._admit()
        self._cancel_running()
        results += self._sweep()
        if self._running:
            self._round += 1
            begin = time.perf_counter()
            try:
                self._engine.step()
            except Exception as error:
                self._fail(error)
            self._collect((time.perf_counter() - begin) / len(self._running))
        return results + self._sweep()

    def _cancel_running(self) -> None:
        for ticket in self._cancelled & self._running.keys():
            self._running[ticket].sequence.finish = Finish.CANCELLED

    def _admit(self) -> list[Result]:
        over = []
        while self._waiting:
            ticket, request = self._waiting.popleft()
            if ticket in self._cancelled:
                over.append(self._unstarted(ticket, request, Finish.CANCELLED))
                continue
            try:
                running = self._start(ticket, request)
            except Exception as error:
                over.append(self._unstarted(ticket, request, Finish.ERROR, error))
            else:
                self._running[ticket] = self._by_name[running.name] = running
        return over

    def _start(self, ticket: int, request: Request) -> _Running:
        model, drafts = self._model, request.drafts
        pool = drafts if isinstance(drafts, DraftPool) else DraftPool(drafts, model.key)
        drafter = start(request.drafter or self._config, model.masks, pool, request.prompt_ids)
        sequence = ActiveSequence(ticket, request, pool, drafter, model.stop_ids)
        chains = ChainDrafter(drafter, model.longest)
        params = _sampling(request, model.stop_ids, chains)
        return _Running(sequence, chains, self._engine.add(model.enter(request.prompt), params, self._inbox))

    def _collect(self, seconds: float) -> None:
        """Take over what the engine has written.

        Args:
            seconds: Each sequence's share of the step.
        """
        while self._inbox:
            output = self._inbox.popleft()
            running = self._by_name.get(output.request_id)
            if running is None or running.sequence.finish is not None:
                continue
            written = output.outputs[0]
            if written.token_ids:
                self._take(running, list(written.token_ids), written.logprobs, seconds)
            if output.finished and running.sequence.finish is None:
                running.sequence.finish = Finish.LENGTH

    def _take(self, running: _Running, tokens: list[int], logprobs: Any, seconds: float) -> None:
        sequence, drafter = running.sequence, running.drafter
        before = len(running.written)
        running.written += tokens
        drafter.note(running.written)
        confidences: list[float | None] = [None] * len(tokens)
        if logprobs:
            confidences = [row[token].logprob for row, token in zip(logprobs, tokens, strict=True)]
        sources = drafter.sources[before : len(running.written) - 1]
        sequence.commit(Outcome([0], tokens, confidences), sources, self._round)
        _count(running, seconds)

    def _fail(self, error: Exception) -> None:
        for running in self._running.values():
            running.sequence.finish, running.sequence.error = Finish.ERROR, error

    def _sweep(self) -> list[Result]:
        """Take finished sequences out, and out of the engine where it still goes on with them."""
        over = [running for running in self._running.values() if running.sequence.finish is not None]
        ended_here = (Finish.LOOP, Finish.CANCELLED, Finish.ERROR)
        if names := [running.name for running in over if running.sequence.finish in ended_here]:
            self._engine.abort(names)
        for running in over:
            self.stats.add(running.sequence.stats)
            del self._running[running.sequence.ticket], self._by_name[running.name]
        return [self._over(running.sequence.request, running.sequence.result()) for running in over]


def _sampling(request: Request, stop_ids: frozenset[int], drafter: ChainDrafter) -> SamplingParams:
    """Raises ``UsageError`` for a rule of acceptance that vLLM does not have."""
    rule = request.acceptance
    if not isinstance(rule, (Exact, Sampling)):
        raise UsageError("vLLM keeps exactly what the model would write; leave out --tau")
    return SamplingParams(
        temperature=rule.temperature if isinstance(rule, Sampling) else 0.0,
        seed=rule.seed if isinstance(rule, Sampling) else None,
        max_tokens=request.max_tokens,
        repetition_penalty=request.repetition_penalty,
        stop_token_ids=sorted(stop_ids),
        ignore_eos=True,  # the stop ids above are all there are
        logprobs=0 if request.confidence else None,
        detokenize=False,
        output_kind=RequestOutputKind.DELTA,
        extra_args={SEQUENCE: drafter},
        skip_clone=True,  # the drafter is shared with this request, not copied
    )


def _count(running: _Running, seconds: float) -> None:
    """Count the forwards of a step. The first reads the prompt."""
    stats, rounds = running.sequence.stats, running.drafter.rounds[running.counted :]
    running.counted += len(rounds)
    if not rounds:
        stats.prefill_forwards = 1
        stats.seconds.prefill += seconds
    for found in rounds:
        if found.masks:
            stats.count_forward(0, found.masks, 0, 0.0)
        stats.count_forward(found.drafted, 0, found.accepted, seconds)
