"""Words of a right-to-left line from their places on the page to the order they are read in.

The inverse of the Unicode Bidirectional Algorithm (UAX 9) as far as it concerns whole words: in a line of Hebrew or
Arabic, words run from right to left, and runs of Latin words, with figures among them, from left to right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import Protocol, TypeVar

_RIGHT_TO_LEFT = ("R", "AL")


class Written(Protocol):
    """Anything with a text: a word, a line."""

    @property
    def text(self) -> str:
        """Its characters in the order they are read in."""


WrittenT = TypeVar("WrittenT", bound=Written)


def in_reading_order(words: Sequence[WrittenT]) -> list[WrittenT]:
    """The words of one line, given from left to right, in reading order.

    Reversed where no more of them are written to the right than to the left. Numbers are written alike in both, and
    stand among Latin words as one of these.
    """
    kinds = [_kind(word.text) for word in words]
    leftward = sum(kind < 0 for kind in kinds)
    if not leftward or leftward < sum(kind > 0 for kind in kinds):
        return list(words)
    ordered: list[WrittenT] = []
    for forward, run in groupby(zip(words, _forward(words, kinds), strict=True), key=lambda pair: pair[1]):
        found = [word for word, _ in run]
        ordered[:0] = found if forward else found[::-1]
    return ordered


def is_leftward(text: str) -> bool:
    """Whether a text is written to the left: no more of its words run to the right."""
    kinds = [_kind(word) for word in text.split()]
    return 0 < sum(kind < 0 for kind in kinds) >= sum(kind > 0 for kind in kinds)


def _kind(text: str) -> int:
    """-1 for a word with letters that run to the left, 1 for one with others, 0 for numbers and signs."""
    directions = {unicodedata.bidirectional(char) for char in text}
    return -1 if directions & set(_RIGHT_TO_LEFT) else int("L" in directions)


def _forward(words: Sequence[Written], kinds: Sequence[int]) -> list[bool]:
    """Which words belong to a run of Latin words: these, numbers beside them, and signs between two of these."""
    forward = [kind > 0 for kind in kinds]
    beside = list(forward)
    for n, word in enumerate(words):
        if kinds[n] == 0 and any(map(str.isdigit, word.text)):
            beside[n] = any(forward[m] for m in (n - 1, n + 1) if 0 <= m < len(words))
    for n in range(1, len(words) - 1):
        if kinds[n] == 0 and not beside[n]:
            beside[n] = beside[n - 1] and beside[n + 1] and (kinds[n - 1] > 0 or kinds[n + 1] > 0)
    return beside
