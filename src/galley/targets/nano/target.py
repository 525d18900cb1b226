"""``galley-nano`` behind the decoding core's door, whatever runs its graph."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from galley.decoding import ScoreDetail, Scores, Window
from galley.errors import ModelError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.follow import START, Follower, prompt_positions
from galley.targets.nano.reading import Reading
from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import TableFormat, Task

Floats = NDArray[np.float32]
Buffer = NDArray[Any]
"""Keys or values in the type of whatever runs the graph."""

_STEP = 128
"""Slots by which a sequence's buffers grow."""


@dataclass(frozen=True, eq=False)
class NanoPrompt:
    """What the embedded model is asked: a reading and a task."""

    reading: Reading
    task: Task


class Forward(Protocol):
    """The model's two computations."""

    def encode(self, ids: NDArray[np.int64], features: Floats, boxes: Floats) -> tuple[Floats, Floats]:
        """What a reading's tokens show: ids (n,), features (n, 960), boxes (n, 4) → (n, width) each, for slots
        that are these tokens, and for slots that are expected to write them next."""
        ...

    def no_past(self) -> tuple[Buffer, Buffer]:
        """Keys and values of no slots."""
        ...

    def __call__(self, *, keys: Buffer, values: Buffer, **arrays: NDArray) -> tuple[Floats, Buffer, Buffer]:
        """New slots that follow a past. Arguments (all by name): ids, positions (n,) int64. given (n, width)
        float32, what the reading shows each slot. sees (n, n) bool among the new slots. keys (layers, kv heads,
        head dim, capacity) and values (layers, kv heads, capacity, …), of which the first ``length`` (a scalar
        int64 array) slots are the past, seen by all. wanted (m,) int64, the slots whose logits are asked for.

        Returns logits (m, vocabulary) and the keys and values of the *new slots alone*, so that the past is
        never copied.
        """
        ...


class _Sequence:
    """A sequence's buffers, and the keys and values of its last window until they are committed."""

    def __init__(self, keys: Buffer, values: Buffer, lookahead: Floats, follower: Follower):
        self.length = values.shape[2]
        self.follower = follower
        self.place, self.places = START, [START]
        """In the reading: after the last token of the cache, and after each slot of the last window."""
        self._lookahead = lookahead
        self.keys, self.values = keys, values
        self._reserve(self.length)
        self.pending: tuple[Buffer, Buffer] | None = None

    def given(self, positions: NDArray[np.int64]) -> Floats:
        """What slots at these positions are expected to write next; zeros behind the reading's end."""
        return self._lookahead[np.minimum(positions, len(self._lookahead) - 1)]

    def keep(self, slots: NDArray[np.int64]) -> None:
        if self.pending is None:
            raise ValueError("there is no window to commit")
        end = self.length + len(slots)
        self._reserve(end)
        keys, values = self.pending
        self.keys[..., self.length : end] = keys[..., slots]
        self.values[:, :, self.length : end] = values[:, :, slots]
        if len(slots):
            self.place = self.places[int(slots[-1])]
        self.length, self.pending = end, None

    def _reserve(self, slots: int) -> None:
        capacity = self.values.shape[2]
        if slots > capacity or not capacity:
            more = (slots // _STEP + 1) * _STEP - capacity
            self.keys = np.pad(self.keys, [(0, 0)] * 3 + [(0, more)])
            self.values = np.pad(self.values, [(0, 0)] * 2 + [(0, more), (0, 0)])


class NanoTarget:
    """A ``Target``. Windows run one sequence at a time: on a CPU a drafting window fills the cores by
    itself."""

    name = "galley-nano"
    table_format = TableFormat.HTML
    clock = staticmethod(time.process_time)

    def __init__(self, forward: Forward, config: NanoConfig, vocabulary: Vocabulary):
        if config.vocab_size != vocabulary.size:
            raise ModelError(f"the model has {config.vocab_size} tokens, its tokenizer {vocabulary.size}")
        self.vocabulary = vocabulary
        self.vocab_size = config.vocab_size
        self.stop_ids = frozenset([vocabulary.eos])
        self.mask_id: int | None = vocabulary.mask
        self.block_size: int | None = config.block_size
        self.reach, self.least_odds = config.reach, config.least_odds
        self._run = forward

    def prefill(
        self, prompts: Sequence[NanoPrompt], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[tuple[_Sequence, Scores]]:
        return [self._prefill(prompt, detail) for prompt in prompts]

    def _prefill(self, prompt: NanoPrompt, detail: ScoreDetail) -> tuple[_Sequence, Scores]:
        reading = prompt.reading
        slots = len(reading) + 1
        encoded, lookahead = self._run.encode(reading.ids, reading.features.astype(np.float32), reading.boxes)
        lookahead = np.pad(lookahead, ((0, 1), (0, 0)))
        keys, values = self._run.no_past()
        logits, keys, values = self._run(
            ids=np.append(reading.ids, self.vocabulary.tasks[prompt.task]),
            positions=prompt_positions(len(reading)),
            given=np.concatenate([encoded, lookahead[:1]]),
            sees=np.ones((slots, slots), bool),
            keys=keys,
            values=values,
            length=np.array(0, np.int64),
            wanted=np.array([slots - 1]),
        )
        sequence = _Sequence(keys, values, lookahead, Follower.of(reading.ids, self.vocabulary))
        return sequence, scores(logits, Window.chain([self.vocabulary.eos]), detail)

    def forward(
        self, items: Sequence[tuple[_Sequence, Window]], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[Scores]:
        return [self._forward(sequence, window, detail) for sequence, window in items]

    def _forward(self, sequence: _Sequence, window: Window, detail: ScoreDetail) -> Scores:
        positions, sequence.places = sequence.follower.window(window, sequence.place)
        logits, keys, values = self._run(
            ids=window.tokens,
            positions=positions,
            given=sequence.given(positions),
            sees=window.sees,
            keys=sequence.keys,
            values=sequence.values,
            length=np.array(sequence.length, np.int64),
            wanted=np.arange(len(window)),
        )
        sequence.pending = keys, values
        return scores(logits, window, detail)

    def commit(self, handle: _Sequence, slots: NDArray[np.int64]) -> None:
        handle.keep(slots)

    def release(self, handle: _Sequence) -> None:
        """Buffers belong to the handle and go with it."""

    def encode(self, text: str) -> list[int]:
        return self.vocabulary.encode(text)

    def decode(self, ids: list[int]) -> str:
        return self.vocabulary.decode(ids)


def scores(logits: Floats, window: Window, detail: ScoreDetail) -> Scores:
    """Logits (n, vocabulary) of a window's slots as what the core needs and no more."""
    best = logits.argmax(axis=1)
    if detail is ScoreDetail.ARGMAX:
        return Scores(best)
    top = logits[np.arange(len(best)), best]
    norms = logits - top[:, None]
    norms = top + np.log(np.exp(norms, out=norms).sum(axis=1))
    if detail is ScoreDetail.CONFIDENCE:
        return Scores(best, top - norms)
    parents = np.maximum(window.parents, 0)
    drafted = logits[parents, window.tokens] - norms[parents]
    if detail is ScoreDetail.DRAFTED:
        return Scores(best, top - norms, drafted=drafted)
    return Scores(best, top - norms, logits - norms[:, None], drafted, norms)
