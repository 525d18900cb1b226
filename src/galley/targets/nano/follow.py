"""Positions that follow the reading: where in the reading the response stands after each of its tokens.

Rotary attention finds the same place at once when a response token and the reading token it renders share a
position. Counting alone loses that with the first misread word, empty cell or tag; so the place is followed:
by default one on from the last token's, and somewhere else where the last tokens occur in the reading and the
default does not fit them. The place depends on the reading and on the tokens so far alone, so drafting and
plain decoding agree on it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from galley.decoding import Window
from galley.targets.nano.tokens import Vocabulary

_NEAR = 24
"""Tokens within which two matching tokens are enough to move; farther away it takes three."""
_CONTEXT = 4


class Place(NamedTuple):
    """Where in the reading a response stands.

    Attributes:
        at: index in the reading of the token last written; -1 before the first.
        recent: the last tokens, newest last; markup counts as a break.
        inside: whether a tag with attributes has begun and not ended.
    """

    at: int
    recent: tuple[int, ...]
    inside: bool = False


START = Place(-1, ())


@dataclass(frozen=True, eq=False)
class Follower:
    """Follows a response through one reading.

    Of several ids of markup in a row, and of a tag with attributes, only the first moves the place on.

    Attributes:
        ids: the reading.
        where: the indices of each id.
        markup: ids that stand for a break.
        open: ids that begin a tag with attributes.
        close: ids that end one.
        brk: id of the break.
    """

    ids: tuple[int, ...]
    where: dict[int, list[int]]
    markup: frozenset[int]
    open: frozenset[int]
    close: frozenset[int]
    brk: int

    @classmethod
    def of(cls, reading: NDArray[np.int64], vocabulary: Vocabulary) -> Follower:
        """A follower of a reading, (n,) int64 ids."""
        ids = tuple(reading.tolist())
        where: dict[int, list[int]] = {}
        for index, token in enumerate(ids):
            where.setdefault(token, []).append(index)
        return cls(ids, where, vocabulary.markup, vocabulary.open, vocabulary.close, vocabulary.brk)

    def step(self, place: Place, token: int) -> Place:
        """The place after one more token."""
        inside = token in self.open or (place.inside and token not in self.close)
        if place.inside:
            return place._replace(inside=inside)
        token = self.brk if token in self.markup else token
        recent = (*place.recent[1 - _CONTEXT :], token)
        default = place.at + 1
        if default < len(self.ids) and self.ids[default] == token:
            return Place(default, recent, inside)
        if token == self.brk and place.recent[-1:] == (self.brk,):
            return place._replace(inside=inside)
        best, longest = default, 1
        for index in self.where.get(token, ()):
            length = self._match(index, recent)
            far = abs(index - default)
            if length < (2 if far <= _NEAR else 3) or length < longest:
                continue
            if length > longest or far < abs(best - default):
                best, longest = index, length
        return Place(best, recent, inside)

    def _match(self, index: int, recent: tuple[int, ...]) -> int:
        """How many of the last tokens end at ``index``."""
        length = 0
        while length < len(recent) and index >= length and self.ids[index - length] == recent[-1 - length]:
            length += 1
        return length

    def walk(self, tokens: NDArray[np.int64], start: Place = START) -> list[Place]:
        """The place after each of the tokens."""
        places = []
        for token in tokens.tolist():
            start = self.step(start, token)
            places.append(start)
        return places

    def window(self, window: Window, start: Place) -> tuple[NDArray[np.int64], list[Place]]:
        """Positions of a window's slots, and the place after each (drafting blocks: that of their anchor).

        A block's slots count on from its anchor: what they will say is not known yet.
        """
        places: list[Place] = []
        positions = np.zeros(len(window), np.int64)
        in_block = (window.parents < 0) & (window.depths > 0)
        anchor = 0
        for slot, token in enumerate(window.tokens.tolist()):
            if in_block[slot]:
                if not (in_block[slot - 1] and window.sees[slot, slot - 1]):  # the first slot of its block
                    tree = np.flatnonzero(window.sees[slot] & ~in_block)
                    anchor = int(tree[np.argmax(window.depths[tree])])
                places.append(places[anchor])
                positions[slot] = position(places[anchor]) + window.depths[slot] - window.depths[anchor]
            else:
                parent = int(window.parents[slot])
                places.append(self.step(places[parent] if parent >= 0 else start, token))
                positions[slot] = position(places[slot])
        return positions, places


def position(place: Place) -> int:
    """Position id of a response token: that of the reading token it stands at."""
    return place.at + 1


def prompt_positions(tokens: int) -> NDArray[np.int64]:
    """Positions of a prompt: reading tokens 1, 2, …, then the task's token at 0."""
    return np.append(np.arange(1, tokens + 1), 0)
