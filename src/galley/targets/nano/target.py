"""``galley-nano`` behind the decoding core's door, whatever runs its two graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley.decoding import Need, Scores, Window
from galley.errors import ModelError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.reading import Reading
from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import Task

Floats = NDArray[np.float32]

_STEP = 128
"""Slots by which a sequence's buffers grow at least."""


@dataclass(frozen=True, eq=False)
class NanoPrompt:
    """What the embedded model is asked: a reading and a task."""

    reading: Reading
    task: Task


class Graphs(Protocol):
    """The model's two computations. Keys and values are (layers, kv heads, slots, head dim), keys already rotated."""

    def prefill(
        self, ids: NDArray[np.int64], features: NDArray[np.float16], boxes: Floats, positions: NDArray[np.int64]
    ) -> tuple[Floats, Floats, Floats]:
        """A prompt whose slots all see each other; all but the last are reading tokens. Returns the last slot's logits
        (vocabulary,), keys and values."""
        ...

    def window(
        self,
        ids: NDArray[np.int64],
        positions: NDArray[np.int64],
        sees: NDArray[np.bool_],
        keys: Floats,
        values: Floats,
        length: int,
    ) -> tuple[Floats, Floats, Floats]:
        """A window (n,) after the first ``length`` slots of buffers that may be longer; returns logits (n, vocabulary)
        and the keys and values of the window's slots alone, so that the past is never copied."""
        ...


class _Sequence:
    """A sequence's buffers, and the keys and values of its last window until they are committed."""

    def __init__(self, keys: Floats, values: Floats):
        self.prompt = self.length = keys.shape[2]
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
        self.length, self.pending = end, None


def _grown(buffer: Floats, slots: int) -> Floats:
    grown = np.zeros((*buffer.shape[:2], -(-slots // _STEP) * _STEP, buffer.shape[3]), np.float32)
    grown[:, :, : buffer.shape[2]] = buffer
    return grown


class NanoTarget:
    """A ``Target``. Windows run one sequence at a time: on a CPU a drafting window fills the cores by itself."""

    def __init__(self, graphs: Graphs, config: NanoConfig, vocabulary: Vocabulary):
        if config.vocab_size != vocabulary.size:
            raise ModelError(f"the model has {config.vocab_size} tokens, its tokenizer {vocabulary.size}")
        self.vocabulary = vocabulary
        self.vocab_size = config.vocab_size
        self.stop_ids = frozenset([vocabulary.eos])
        self.mask_id: int | None = vocabulary.mask
        self.block_size: int | None = config.block_size
        self._graphs = graphs

    def prefill(self, prompts: Sequence[NanoPrompt], need: Need = Need.ARGMAX) -> list[tuple[_Sequence, Scores]]:
        return [self._prefill(prompt, need) for prompt in prompts]

    def _prefill(self, prompt: NanoPrompt, need: Need) -> tuple[_Sequence, Scores]:
        reading = prompt.reading
        ids = np.append(reading.ids, self.vocabulary.tasks[prompt.task])
        positions = prompt_positions(len(reading))
        logits, keys, values = self._graphs.prefill(ids, reading.features, reading.boxes, positions)
        return _Sequence(keys, values), scores(logits[None], Window.chain([self.vocabulary.eos]), need)

    def forward(self, items: Sequence[tuple[_Sequence, Window]], need: Need = Need.ARGMAX) -> list[Scores]:
        return [self._forward(sequence, window, need) for sequence, window in items]

    def _forward(self, sequence: _Sequence, window: Window, need: Need) -> Scores:
        positions = sequence.length - sequence.prompt + 1 + window.depths
        logits, keys, values = self._graphs.window(
            window.tokens, positions, window.sees, sequence.keys, sequence.values, sequence.length
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


def prompt_positions(tokens: int) -> NDArray[np.int64]:
    """Positions of a prompt: reading tokens 1, 2, …, then the task's token at 0.

    Responses start at 1 again: response token ``k`` and reading token ``k`` share a position, so that rotary attention
    finds the place at once.
    """
    return np.append(np.arange(1, tokens + 1), 0)


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
