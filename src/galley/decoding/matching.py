"""Draft–target matching (HSD, section 3): from the text committed so far to the drafts that may continue it.

The paper looks the last n = 3 tokens up in every draft and merges what follows into one prefix tree. ``MatchLimits``
says what is done besides, and switches each of it off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from galley.decoding.budget import AcceptanceRate
from galley.decoding.pool import DraftPool, DraftPosition
from galley.decoding.tree import Draft, Source, geometric

_SHIFTS = (0, -1, 1)
_SHIFT_WEIGHTS = (0.5, 0.25, 0.25)


@dataclass(frozen=True)
class MatchLimits:
    """How the committed text is matched with drafts.

    Of the paper (HSD, section 3) is ``n``. The public HSD code has besides it ``grown``, ``depth``, ``weakest`` and
    ``by_key``. The numbers of ``grown``, ``chain`` and ``places``, and ``resume`` and ``begin``, are Galley's own.

    Attributes:
        n: tokens that must match (HSD: 3).
        grown: most tokens that the window grows to while several places match; ``n`` or less switches growth off.
        depth: tokens drafted per place when there are several.
        chain: tokens drafted when there is one place, which proposes the rest of its draft.
        places: most places taken at once.
        weakest: tokens that must match as a last resort, where ``n`` do not; ``n`` switches that off.
        resume: whether to continue a draft right behind a token that the model wrote otherwise, without waiting
            for ``n`` tokens to match again.
        begin: whether drafts that were not used yet are expected to begin at the start of the output, and where
            one is used up.
        by_key: compare tokens by their keys (see ``TokenKey``); else by their ids.
    """

    n: int = 3
    grown: int = 32
    depth: int = 15
    chain: int = 512
    places: int = 32
    weakest: int = 1
    resume: bool = True
    begin: bool = True
    by_key: bool = True


class MatchKind(str, Enum):
    """How places in drafts were found, the surest first."""

    CURRENT = "current"
    """right behind the last committed token"""
    MATCH = "match"
    """behind n tokens that match"""
    EXPECTED = "expected"
    """near where the text last stood, or at the beginning of a draft"""
    WEAKER = "weaker"
    """behind fewer than n tokens that match"""


_PRIORS = {MatchKind.CURRENT: 0.97, MatchKind.MATCH: 0.8, MatchKind.EXPECTED: 0.5, MatchKind.WEAKER: 0.2}
_ONWARD = 0.97


class MatchOdds:
    """Learns how likely places are right, by how they were found, and how likely the text there goes on being right.

    Places are judged by the text committed later, whether or not they were verified, so learning costs nothing.
    """

    def __init__(self, parent: MatchOdds | None = None) -> None:
        self._entry: dict[MatchKind, AcceptanceRate] = {
            kind: parent._entry[kind].child() if parent else AcceptanceRate(prior)
            for kind, prior in _PRIORS.items()
        }
        self._onward: AcceptanceRate = parent._onward.child() if parent else AcceptanceRate(_ONWARD)

    def of(self, kind: MatchKind, length: int) -> NDArray[np.float64]:
        """(length,) odds of the tokens behind a place."""
        return self._entry[kind].value * geometric(self._onward.value, length) / self._onward.value

    def see(self, kind: MatchKind, hits: int, missed: bool) -> None:
        """Learn from the best place that was found in one way.

        Args:
            kind: how it was found.
            hits: how many of its tokens were right.
            missed: whether one was wrong after them.
        """
        if hits:
            self._entry[kind].see(1, 0)
            self._onward.see(hits - 1, int(missed))
        elif missed:
            self._entry[kind].see(0, 1)


class DraftMatcher:
    """Follows one sequence through a pool of drafts.

    It knows where in which draft the text stands (``_at``), so that a draft can be taken up again right behind a
    token the model wrote otherwise (``MatchLimits.resume``), and which drafts were used, so that the others are
    expected to begin (``MatchLimits.begin``). What it knows of a draft is forgotten when that is replaced.
    """

    def __init__(self, pool: DraftPool, limits: MatchLimits, odds: MatchOdds, source: str = "match") -> None:
        self.pool = pool
        self._limits = limits
        self._odds = odds
        self._source = source
        self._at: DraftPosition | None = None
        self._since = 1  # tokens committed since the text stood there; x0 to begin with
        self._agreed = 0  # tokens that agreed when it last did
        self._used: dict[int, int] = {}
        """drafts that the text has followed, and their editions then"""
        self._match_kind = MatchKind.EXPECTED
        self._proposed: list[DraftPosition] = []

    def drafts(self, committed: Sequence[int], max_draft: int) -> list[Draft]:
        """Drafts of what may follow ``committed``, at most ``max_draft`` tokens each."""
        if max_draft < 1:
            return []
        self._forget_replaced()
        weighted = self._places(committed)[: self._limits.places]
        self._proposed = [place for place, _ in weighted]
        several = len(weighted) > 1
        drafts = []
        for place, weight in weighted:
            whole = not several or place == self._current()
            limit = min(max_draft, self._limits.chain if whole else self._limits.depth)
            tokens = np.array(self.pool[place.draft][place.position : place.position + limit], dtype=np.int64)
            odds = weight * self._odds.of(self._match_kind, len(tokens))
            drafts.append(Draft(tokens, odds, Source(self._source, place.draft)))
        return drafts

    def follow(self, tokens: Sequence[int]) -> None:
        """Take note of the tokens committed after the last ``drafts``."""
        best, length = None, 0
        for place in self._proposed:
            agreed = agreement(self.pool[place.draft], place.position, tokens)
            if agreed > length:
                best, length = place, agreed
        if self._proposed:
            over = best is not None and best.position + length == len(self.pool[best.draft])
            self._odds.see(self._match_kind, length, missed=length < len(tokens) and not over)
        self._proposed = []
        if best is None:
            self._since += len(tokens)
            return
        self._used[best.draft] = self.pool.edition(best.draft)
        self._at = DraftPosition(best.draft, best.position + length)
        self._since = len(tokens) - length
        self._agreed = length

    def _forget_replaced(self) -> None:
        """Let go of drafts that were replaced since the text followed them."""
        for draft in [draft for draft, edition in self._used.items() if self.pool.edition(draft) != edition]:
            del self._used[draft]
            if self._at is not None and self._at.draft == draft:
                self._at = None

    def _current(self) -> DraftPosition | None:
        """The place right behind what was committed last, if it was a draft's and goes on."""
        at = self._at
        if at is None or self._since or not self._limits.resume:
            return None
        return at if at.position < len(self.pool[at.draft]) else None

    def _find(self, committed: Sequence[int], n: int) -> list[DraftPosition]:
        return self.pool.find(committed, n, self._limits.grown, self._limits.by_key)

    def _places(self, committed: Sequence[int]) -> list[tuple[DraftPosition, float]]:
        """Places with the odds that the text goes on there; the likeliest first."""
        current = self._current()
        self._match_kind = MatchKind.CURRENT
        if current is not None and self._agreed >= self._limits.n:
            return [(current, 1.0)]  # so much agreement needs no second opinion
        matches = self._find(committed, self._limits.n)
        if current is not None:
            others = [match for match in matches if match != current]
            if not others:
                return [(current, 1.0)]
            return [(current, 0.5), *((match, 0.5 / len(others)) for match in others)]
        self._match_kind = MatchKind.MATCH
        if not matches:
            self._match_kind = MatchKind.EXPECTED
            if expected := self._expected(committed):
                return expected
            self._match_kind = MatchKind.WEAKER
            matches = self._weaker(committed)
        return [(match, 1.0 / len(matches)) for match in matches]

    def _weaker(self, committed: Sequence[int]) -> list[DraftPosition]:
        """Matches of fewer tokens than ``n``, the last resort."""
        for n in range(self._limits.n - 1, self._limits.weakest - 1, -1):
            if matches := self._find(committed, n):
                return matches
        return []

    def _expected(self, committed: Sequence[int]) -> list[tuple[DraftPosition, float]]:
        """Places reached from where the text last stood: tokens since then replaced, inserted or left out."""
        since = self._since
        if since > self._limits.n:
            return []
        anchors = self._anchors()
        recent = committed[len(committed) - since :]
        agreeing = [
            DraftPosition(draft, start + since)
            for draft, start in anchors
            if self.pool.same(self.pool[draft][start : start + since], recent, self._limits.by_key)
        ]
        if agreeing:
            places = [(place, 1.0 / len(agreeing)) for place in agreeing]
        else:
            places = [
                (DraftPosition(draft, max(start + since + shift, start)), weight / len(anchors))
                for shift, weight in zip(_SHIFTS, _SHIFT_WEIGHTS, strict=True)
                for draft, start in anchors
            ]
        return [(place, weight) for place, weight in places if place.position < len(self.pool[place.draft])]

    def _anchors(self) -> list[DraftPosition]:
        """Where the text stands: in the draft being followed, or before one of those not used yet."""
        if self._at is not None and self._at.position < len(self.pool[self._at.draft]):
            return [self._at] if self._limits.resume else []
        if not self._limits.begin:
            return []
        return [DraftPosition(draft, 0) for draft in range(len(self.pool)) if draft not in self._used]


def agreement(draft: Sequence[int], start: int, tokens: Sequence[int]) -> int:
    """How many of ``tokens`` the draft gives from ``start`` on."""
    count = 0
    for ours, theirs in zip(draft[start : start + len(tokens)], tokens, strict=False):
        if ours != theirs:
            break
        count += 1
    return count
