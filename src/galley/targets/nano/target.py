"""``galley-nano`` behind the decoding core's door, whatever runs its graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley.decoding import Need, Scores, Window
from galley.errors import ModelError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.follow import START, Follower, prompt_positions
from galley.targets.nano.reading import Reading
from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import TableFormat, Task

Floats = NDArray[np.float32]

_STEP = 128
"""Slots by which a sequence's buffers grow at least."""


@dataclass(frozen=True, eq=False)
class NanoPrompt:
    """What the embedded model is asked: a reading and a task."""

    reading: Reading
    task: Task


class Forward(Protocol):
    """The model's one computation, on new slots that follow a past.

    Arguments (all by name): ids, positions (n,) int64. sees (n, n) bool among the new slots. seen (n,) int64,
    features (n, 960) float32 and boxes (n, 4) float32: the reading token that each slot is (reads, (n,) bool)
    or looks at (looks, (n,) bool). keys, values (layers, kv heads, capacity, head dim) float32, of which the
    first ``length`` (a scalar int64 array) slots are the past, seen by all. wanted (m,) int64, the slots whose
    logits are asked for. Returns logits (m, vocabulary) and the keys and values of the *new slots alone*,
    (layers, kv heads, n, head dim), so that the past is never copied.
    """

    def __call__(self, **arrays: NDArray) -> tuple[Floats, Floats, Floats]: ...


class _Sight:
    """A reading as slots look at it: by position, the token they are expected to write next."""

    def __init__(self, reading: Reading):
        self._ids = np.append(reading.ids, 0)
        self._features = np.pad(reading.features.astype(np.float32), ((0, 1), (0, 0)))
        self._boxes = np.pad(reading.boxes, ((0, 1), (0, 0)))

    def at(self, positions: NDArray[np.int64], reads: int = 0) -> dict[str, NDArray]:
        """What slots at these positions see; the first ``reads`` are the reading tokens themselves."""
        end = len(self._ids) - 1
        slots = np.arange(len(positions))
        reading = slots < reads
        where = np.minimum(np.where(reading, slots, positions), end)
        return {
            "seen": self._ids[where],
            "features": self._features[where],
            "boxes": self._boxes[where],
            "reads": reading,
            "looks": ~reading & (where < end),
        }


class _Sequence:
    """A sequence's buffers, and the keys and values of its last window until they are committed."""

    def __init__(self, keys: Floats, values: Floats, sight: _Sight, follower: Follower):
        self.length = keys.shape[2]
        self.sight, self.follower = sight, follower
        self.place, self.places = START, [START]
        """In the reading: after the last token of the cache, and after each slot of the last window."""
        self.keys, self.values = _grown(keys, self.length + _STEP), _grown(values, self.length + _STEP)
        self.pending: tuple[Floats, Floats] | None = None

    def keep(self, slots: NDArray[np.int64]) -> None:
        if self.pending is None:
            raise ValueError("there is no window to commit")
        end = self.length + len(slots)
        if end > self.keys.shape[2]:
            self.keys, self.values = (_grown(part, 2 * end) for part in (self.keys, self.values))
        for buffer, new in zip((self.keys, self.values), self.pending, strict=True):
            buffer[:, :, self.length : end] = new[:, :, slots]
        if len(slots):
            self.place = self.places[int(slots[-1])]
        self.length, self.pending = end, None


def _grown(buffer: Floats, slots: int) -> Floats:
    grown = np.zeros((*buffer.shape[:2], -(-slots // _STEP) * _STEP, buffer.shape[3]), np.float32)
    grown[:, :, : buffer.shape[2]] = buffer
    return grown


class NanoTarget:
    """A ``Target``. Windows run one sequence at a time: on a CPU a drafting window fills the cores by
    itself."""

    name = "galley-nano"
    table_format = TableFormat.HTML

    def __init__(self, forward: Forward, config: NanoConfig, vocabulary: Vocabulary):
        if config.vocab_size != vocabulary.size:
            raise ModelError(f"the model has {config.vocab_size} tokens, its tokenizer {vocabulary.size}")
        self.vocabulary = vocabulary
        self.vocab_size = config.vocab_size
        self.stop_ids = frozenset([vocabulary.eos])
        self.mask_id: int | None = vocabulary.mask
        self.block_size: int | None = config.block_size
        self.reach, self.least_probability = config.reach, config.least_probability
        self._run = forward
        self._no_past = np.zeros((config.layers, config.kv_heads, 0, config.head_dim), np.float32)

    def prefill(
        self, prompts: Sequence[NanoPrompt], need: Need = Need.ARGMAX
    ) -> list[tuple[_Sequence, Scores]]:
        return [self._prefill(prompt, need) for prompt in prompts]

    def _prefill(self, prompt: NanoPrompt, need: Need) -> tuple[_Sequence, Scores]:
        reading = prompt.reading
        slots = len(reading) + 1
        positions, sight = prompt_positions(len(reading)), _Sight(reading)
        logits, keys, values = self._run(
            ids=np.append(reading.ids, self.vocabulary.tasks[prompt.task]),
            positions=positions,
            sees=np.ones((slots, slots), bool),
            **sight.at(positions, reads=len(reading)),
            keys=self._no_past,
            values=self._no_past,
            length=np.array(0, np.int64),
            wanted=np.array([slots - 1]),
        )
        sequence = _Sequence(keys, values, sight, Follower.of(reading.ids, self.vocabulary))
        return sequence, scores(logits, Window.chain([self.vocabulary.eos]), need)

    def forward(self, items: Sequence[tuple[_Sequence, Window]], need: Need = Need.ARGMAX) -> list[Scores]:
        return [self._forward(sequence, window, need) for sequence, window in items]

    def _forward(self, sequence: _Sequence, window: Window, need: Need) -> Scores:
        positions, sequence.places = sequence.follower.window(window, sequence.place)
        logits, keys, values = self._run(
            ids=window.tokens,
            positions=positions,
            sees=window.sees,
            **sequence.sight.at(positions),
            keys=sequence.keys,
            values=sequence.values,
            length=np.array(sequence.length, np.int64),
            wanted=np.arange(len(window)),
        )
        sequence.pending = keys, values
        return scores(logits, window, need)

    def commit(self, handle: _Sequence, slots: NDArray[np.int64]) -> None:
        handle.keep(slots)

    def release(self, handle: _Sequence) -> None:
        """Buffers belong to the handle and go with it."""

    def encode(self, text: str) -> list[int]:
        return self.vocabulary.encode(text)

    def decode(self, ids: list[int]) -> str:
        return self.vocabulary.decode(ids)


def scores(logits: Floats, window: Window, need: Need) -> Scores:
    """Logits (n, vocabulary) of a window's slots as what the core needs and no more."""
    best = logits.argmax(axis=1)
    if need is Need.ARGMAX:
        return Scores(best)
    top = logits.max(axis=1)
    norms = top + np.log(np.exp(logits - top[:, None]).sum(axis=1))
    if need is Need.CONFIDENCE:
        return Scores(best, top - norms)
    parents = np.maximum(window.parents, 0)
    drafted = logits[parents, window.tokens] - norms[parents]
    if need is Need.DRAFTED:
        return Scores(best, top - norms, drafted=drafted)
    return Scores(best, top - norms, logits - norms[:, None], drafted, norms)
