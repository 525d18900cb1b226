"""What a caller asks for and what comes back."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from numbers import Integral
from typing import Any

from galley.decoding.accept import Acceptance, Exact
from galley.decoding.drafters import DrafterConfig
from galley.decoding.guard import Loop, LoopGuard
from galley.decoding.pool import DraftPool
from galley.decoding.stats import Committed, Stats


class Finish(str, Enum):
    """Why a sequence ended."""

    STOP = "stop"
    LENGTH = "length"
    LOOP = "loop"
    CANCELLED = "cancelled"
    ERROR = "error"


@dataclass(eq=False)
class Request:
    """One text to decode.

    prompt: whatever the target reads. prompt_ids: the prompt's token ids, which a repetition penalty and
    prompt lookup see; not needed otherwise. drafts: token ids of free drafts in any order (those the model
    does not have are left out), or a pool that may grow meanwhile and be context. max_tokens: the most
    tokens returned; the stop token is not returned, but needs room like any other. drafter: what drafts,
    None for the decoder's. acceptance: what is accepted. repetition_penalty: 1 is none. loop_guard: None
    switches it off. confidence: record the model's log-probability of every token in the trace. on_commit:
    called with the new tokens after each round. on_finish: called once with the result when the text is over,
    before the next round of the others. Neither may raise.
    """

    prompt: Any
    drafts: Sequence[Sequence[int]] | DraftPool = ()
    max_tokens: int = 4096
    acceptance: Acceptance = field(default_factory=Exact)
    drafter: DrafterConfig | None = None
    repetition_penalty: float = 1.0
    prompt_ids: Sequence[int] = ()
    loop_guard: LoopGuard | None = field(default_factory=LoopGuard)
    confidence: bool = True
    on_commit: Callable[[list[int]], None] | None = None
    on_finish: Callable[[Result], None] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.max_tokens, Integral) or self.max_tokens < 1:
            raise ValueError(f"max_tokens is a whole number of at least 1, not {self.max_tokens}")
        if not 0 < self.repetition_penalty < math.inf:
            raise ValueError(f"repetition_penalty is above 0 (1 is none), not {self.repetition_penalty}")


@dataclass(eq=False)
class Result:
    """A decoded text.

    ids: token ids without the stop token; whatever was written before an error, a loop or a cancellation is
    kept. loop: where the repetition is, when it ended in one. error: what the target raised, when it
    failed. trace: one entry per id.
    """

    ticket: int
    ids: list[int]
    finish: Finish
    stats: Stats
    trace: list[Committed]
    loop: Loop | None = None
    error: Exception | None = None
