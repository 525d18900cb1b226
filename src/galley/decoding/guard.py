"""The loop guard: stops a text that repeats itself for no reason a document could have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Support = Callable[[Sequence[int]], int]
"""How often a run of tokens occurs in the drafts."""


class Loop(NamedTuple):
    """A repeated tail of a text.

    Attributes:
        start: output index at which it begins.
        period: tokens of one copy.
        copies: number of whole copies.
    """

    start: int
    period: int
    copies: int


@dataclass(frozen=True)
class LoopGuard:
    """When a repeated tail counts as a loop.

    A tail is a loop when it holds at least ``copies`` copies of a unit *and* copies x (different tokens in the unit)
    reaches ``repeated``. Empty cells, dot leaders and blank table rows consist of very few different tokens and
    may repeat for long; a line of words may not. For a unit that a draft holds k times, 2k more copies are
    needed.

    Attributes:
        copies: least copies of a loop.
        repeated: least copies x different tokens of a loop.
        longest: most tokens of a unit.
    """

    copies: int = 8
    repeated: int = 256
    longest: int = 1024

    def watch(self, support: Support) -> LoopWatch:
        """A watch for one text, whose drafts ``support`` looks units up in."""
        return LoopWatch(self, support)


class LoopWatch:
    """Watches one output, token by token, so that the verdict does not depend on how tokens were drafted."""

    def __init__(self, guard: LoopGuard, support: Support) -> None:
        self._guard = guard
        self._support = support
        self._tokens = np.full(4 * guard.longest, -1, dtype=np.int64)
        self._used = (
            guard.longest
        )  # filler of -1 in front, so that every period can be compared from the start
        # _runs[p-1]: how many tokens at the end equal the token p places before them
        self._runs = np.zeros(guard.longest, dtype=np.int64)
        self._needed = (guard.copies - 1) * np.arange(1, guard.longest + 1)

    def see(self, token: int) -> Loop | None:
        """Take the next token; the loop it completes, or None."""
        longest = self._guard.longest
        if self._used == len(self._tokens):
            self._tokens = np.concatenate([self._tokens, np.full(len(self._tokens), -1, dtype=np.int64)])
        past = self._tokens[self._used - longest : self._used][::-1]
        self._runs = (self._runs + 1) * (past == token)
        self._tokens[self._used] = token
        self._used += 1
        repeating = self._runs >= self._needed
        return self._judge(int(np.argmax(repeating)) + 1) if repeating.any() else None

    def _judge(self, period: int) -> Loop | None:
        run = int(self._runs[period - 1]) + period
        copies = run // period
        begin = self._used - run
        unit = self._tokens[begin : begin + period].tolist()  # the first copy: a line, not the middle of two
        if copies * len(set(unit)) < self._guard.repeated:
            return None
        if copies < 2 * self._support(unit) + self._guard.copies:
            return None
        return Loop(begin - self._guard.longest, period, copies)
