"""Medusa heads on the toy target: heads on its last state, each of which drafts one token further ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from toy_target import ToyHandle, ToyTarget

from galley.decoding import Drafter, DraftPool, HiddenStates, Source
from galley.decoding.drafters import BatchChainDrafter, BatchItem, DecoderContext

_TAIL = 2


class ToyHiddenTarget(ToyTarget):
    """A toy without masks that shows its states: prompt, length and last two tokens, which is all it predicts from."""

    def __init__(self, vocab: int = 40, stop_bias: float = 1.0) -> None:
        super().__init__(vocab, None, 0.0, stop_bias)
        self._shown: dict[ToyHandle, int] = {}

    def hidden(self, handle: ToyHandle) -> np.ndarray:
        first = self._shown.get(handle, -1)  # the prompt is one state, before the first token
        lengths = range(first + 1, len(handle.cached) + 1)
        self._shown[handle] = len(handle.cached)
        return np.array([self._state(handle, length) for length in lengths], dtype=np.float32)

    def _state(self, handle: ToyHandle, length: int) -> list[float]:
        tail = handle.cached[max(length - _TAIL, 0) : length]
        return [handle.prompt, length, *([-1] * (_TAIL - len(tail))), *tail]


class Heads:
    """Heads as a ``BatchDrafter``. Head k predicts the token k + 1 places behind the state's.

    wrong: every token that is a multiple of it is predicted one too high, so that drafts are not always right.
    """

    def __init__(self, target: HiddenStates, heads: int, wrong: int) -> None:
        self._target, self._heads, self._wrong = target, heads, wrong

    def draft(self, items: Sequence[BatchItem]) -> list[np.ndarray]:
        states = np.stack([self._target.hidden(item.handle)[-1] for item in items])
        drafted = np.array([self._predict(state) for state in states], dtype=np.int64)
        return [tokens[1 : 1 + item.length] for tokens, item in zip(drafted, items, strict=True)]

    def _predict(self, state: np.ndarray) -> list[int]:
        """What the heads say: (heads + 1,) tokens, the first of which is the boundary."""
        target: Any = self._target
        prompt, length, *tail = (int(value) for value in state)
        known = [token for token in tail if token >= 0]
        text = [0] * (length - len(known)) + known
        right = target.continuation(prompt, text, self._heads + 1)
        return [(t + (t % self._wrong == 0)) % (target.vocab_size - 1) for t in right]


@dataclass(frozen=True)
class Medusa:
    """Drafts of heads on the target's last state."""

    heads: int = 4
    wrong: int = 5
    name: ClassVar[str] = "medusa"
    summary: ClassVar[str] = "heads on the last state"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        return None if hasattr(target, "hidden") else "does not show its states"

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        target: Any = context.target
        heads = context.batch_drafters.setdefault(self, Heads(target, self.heads, self.wrong))
        return BatchChainDrafter(heads, self.heads, Source(self.name))
