"""Draft–target matching (HSD, 3): from the text committed so far to the drafts that may continue it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from galley.decoding.pool import DraftPool, Match
from galley.decoding.tree import Draft, Source, geometric

_SHIFTS = (0, -1, 1)
_SHIFT_WEIGHTS = (0.5, 0.25, 0.25)


@dataclass(frozen=True)
class MatchLimits:
    """n: tokens that must match (HSD: 3). grown: the most the window grows to while several places match.

    depth: tokens drafted per place when there are several. chain: the same when there is one; it proposes the
    whole rest of its draft up to this. places: the most places taken at once.
    """

    n: int = 3
    grown: int = 32
    depth: int = 15
    chain: int = 1024
    places: int = 32


class DraftMatcher:
    """Follows one sequence through a pool of drafts.

    It knows where in which draft the text stands (``_at``), so that a draft is taken up again right behind a
    token the model wrote otherwise, without waiting for ``n`` tokens that match once more. At the start of
    the output, and where a draft has been used up, the beginnings of the drafts not used yet are expected.
    """

    def __init__(self, pool: DraftPool, limits: MatchLimits, kind: str) -> None:
        self.pool = pool
        self._limits = limits
        self._kind = kind
        self._at: Match | None = None
        self._since = 1  # tokens committed since the text stood there; x0 to begin with
        self._agreed = 0  # tokens that agreed when it last did
        self._used: set[int] = set()
        self._proposed: list[Match] = []

    def drafts(self, committed: Sequence[int], rate: float, room: int) -> list[Draft]:
        """Drafts of what may follow ``committed``, at most ``room`` tokens each.

        rate: the share of drafted tokens accepted of late, for the odds.
        """
        self._proposed = []
        if room < 1:
            return []
        weighted = self._places(committed)[: self._limits.places]
        self._proposed = [place for place, _ in weighted]
        several = len(weighted) > 1
        drafts = []
        for place, weight in weighted:
            whole = not several or place == self._current()
            limit = min(room, self._limits.chain if whole else self._limits.depth)
            tokens = np.array(self.pool[place.draft][place.position : place.position + limit], dtype=np.int64)
            odds = weight * geometric(rate, len(tokens))
            drafts.append(Draft(tokens, odds, Source(self._kind, place.draft)))
        return drafts

    def follow(self, tokens: Sequence[int]) -> None:
        """Take note of the tokens committed after the last ``drafts``."""
        best, length = None, 0
        for place in self._proposed:
            agreed = agreement(self.pool[place.draft], place.position, tokens)
            if agreed > length:
                best, length = place, agreed
        if best is None:
            self._since += len(tokens)
            return
        self._used.add(best.draft)
        self._at = Match(best.draft, best.position + length)
        self._since = len(tokens) - length
        self._agreed = length

    def _current(self) -> Match | None:
        """The place right behind what was committed last, if it was a draft's and goes on."""
        at = self._at
        return at if at is not None and self._since == 0 and at.position < len(self.pool[at.draft]) else None

    def _places(self, committed: Sequence[int]) -> list[tuple[Match, float]]:
        """Places with the odds that the text goes on there; the likeliest first."""
        limits = self._limits
        current = self._current()
        if current is not None and self._agreed >= limits.n:
            return [(current, 1.0)]
        matches = self.pool.find(committed, limits.n, limits.grown)
        if current is not None:
            others = [match for match in matches if match != current]
            return [(current, 0.5), *((match, 0.5 / len(others)) for match in others)]
        if not matches:
            if expected := self._expected(committed):
                return expected
            matches = self._weaker(committed)
        return [(match, 1.0 / len(matches)) for match in matches]

    def _weaker(self, committed: Sequence[int]) -> list[Match]:
        """Matches of fewer tokens than ``n``, the last resort."""
        for n in range(self._limits.n - 1, 0, -1):
            if matches := self.pool.find(committed, n, self._limits.grown):
                return matches
        return []

    def _expected(self, committed: Sequence[int]) -> list[tuple[Match, float]]:
        """Places reached from where the text last stood, the tokens since then replaced, inserted or left
        out."""
        since = self._since
        if since > self._limits.n:
            return []
        anchors = self._anchors()
        recent = committed[len(committed) - since :]
        agreeing = [
            Match(draft, start + since)
            for draft, start in anchors
            if self.pool.same(self.pool[draft][start : start + since], recent)
        ]
        if agreeing:
            places = [(place, 1.0 / len(agreeing)) for place in agreeing]
        else:
            places = [
                (Match(draft, max(start + since + shift, start)), weight / len(anchors))
                for shift, weight in zip(_SHIFTS, _SHIFT_WEIGHTS, strict=True)
                for draft, start in anchors
            ]
        return [(place, weight) for place, weight in places if place.position < len(self.pool[place.draft])]

    def _anchors(self) -> list[Match]:
        """Where the text stands: in the draft being followed, or before one of those not used yet."""
        if self._at is not None and self._at.position < len(self.pool[self._at.draft]):
            return [self._at]
        return [Match(draft, 0) for draft in range(len(self.pool)) if draft not in self._used]


def agreement(draft: Sequence[int], start: int, tokens: Sequence[int]) -> int:
    """How many of ``tokens`` the draft gives from ``start`` on."""
    count = 0
    for ours, theirs in zip(draft[start : start + len(tokens)], tokens, strict=False):
        if ours != theirs:
            break
        count += 1
    return count
