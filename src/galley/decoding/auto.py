"""``auto``: every kind of draft at once, with windows sized by what forwards cost and what drafts have
earned.

Free drafts come first, the model's own draft where none matches, both in one tree where both exist. The
yardstick is tokens per second: a slot is worth computing while the tokens it is expected to add exceed what
its seconds would give elsewhere at the present pace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.decoding.accept import Outcome
from galley.decoding.budget import Rate
from galley.decoding.matching import DraftMatcher, MatchLimits, MatchOdds, agreement
from galley.decoding.pool import DraftPool
from galley.decoding.proposers import MTP, OWN, PromptLookup, PromptMatcher, Proposal, Proposer, Shared
from galley.decoding.target import Need, Scores
from galley.decoding.tree import Draft, PrefixTree, geometric
from galley.decoding.window import Ids

_SMALLEST_BLOCK = 4


@dataclass(frozen=True)
class Auto:
    """nodes: the most tree nodes of a window. anchors: the most drafting blocks that ride along with a
    tree."""

    limits: MatchLimits = field(default_factory=MatchLimits)
    nodes: int = 1024
    anchors: int = 3
    mtp_depth: int = 3
    needs_costs = True

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer:
        return _Everything(self, shared, pool, prompt_ids)


class _Everything(Proposer):
    need = Need.CONFIDENCE

    def __init__(self, settings: Auto, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> None:
        self._settings = settings
        self._shared = shared
        self._matcher = DraftMatcher(pool, settings.limits, MatchOdds(shared.matched))
        self._lookup = PromptMatcher(prompt_ids, PromptLookup().limits, MatchOdds(shared.looked_up))
        self._own_rate, self._mtp_rate = shared.own.child(), shared.mtp.child()
        self._unserved = Rate(0.5)
        """share of rounds in which no free draft was right, so that a draft of the model's own is wanted"""
        self._own: Draft | None = None
        self._drafts: list[Draft] = []

    def look(self, committed: list[int], room: int) -> int:
        super().look(committed, room)
        self._drafts = self._matcher.drafts(committed, room)
        if not self._drafts:
            self._drafts = self._lookup.drafts(committed, room)
        if self._own is not None and room > 0:
            self._drafts.append(Draft(self._own.tokens[:room], self._own.odds[:room], OWN))
        wants_mtp = not self._drafts and hasattr(self._shared.target, "mtp") and not self._block_size()
        return min(self._settings.mtp_depth, room) if wants_mtp else 0

    def propose(self, mtp: Ids | None = None) -> Proposal:
        if mtp is not None:
            self._drafts.append(Draft(mtp, geometric(self._mtp_rate.value, len(mtp)), MTP))
        tree = PrefixTree(self._committed[-1])
        for draft in self._drafts:
            tree.add(draft)
        tree = tree.likeliest(min(self._worthwhile(tree), 1 + self._settings.nodes))
        mask = self._shared.target.mask_id or 0
        size = self._block_size()
        anchors = self._anchors(tree, size) if size and self._room > 1 else []
        return Proposal(tree, [(anchor, np.full(size, mask, dtype=np.int64)) for anchor in anchors])

    def follow(self, proposal: Proposal, scores: Scores, outcome: Outcome) -> None:
        free = [draft for draft in self._drafts if draft.source not in (OWN, MTP)]
        served = any(_fate(draft, outcome.tokens)[0] for draft in free)
        self._unserved.see(int(not served), int(served))
        self._matcher.follow(outcome.tokens)
        self._lookup.follow(outcome.tokens)
        for source, rate in ((OWN, self._own_rate), (MTP, self._mtp_rate)):
            drafted = [draft for draft in self._drafts if draft.source == source]
            if drafted:
                rate.see(*_fate(drafted[0], outcome.tokens))
            else:
                rate.forget(1)
        self._own = own_draft(proposal, scores, outcome, self._own_rate.value)

    def _worthwhile(self, tree: PrefixTree) -> int:
        """How many of the likeliest nodes maximise expected tokens minus the worth of the time they take."""
        odds = np.sort(np.asarray(tree.odds))[::-1]
        return int(np.argmax(np.cumsum(odds) - self._price(np.arange(1, len(odds) + 1)))) + 1

    def _block_size(self) -> int:
        """Masks per drafting block that pay best; 0 where a plain step is better than a draft.

        A block of b masks adds a^1 + ... + a^b tokens at acceptance a, for b slots to draft and b to verify.
        """
        trained = self._shared.target.block_size
        if self._shared.target.mask_id is None or not trained:
            return 0
        best, best_gain = 0, 0.0
        size = trained
        while size >= min(_SMALLEST_BLOCK, trained):
            tokens = float(geometric(self._own_rate.value, size).sum())
            gain = tokens - 2 * float(self._price(1 + size) - self._price(1))
            if gain > best_gain:
                best, best_gain = size, gain
            size //= 2
        return best

    def _anchors(self, tree: PrefixTree, size: int) -> list[int]:
        """Nodes behind which to draft already: the likeliest ends of acceptance, while that pays.

        Where the next round's free drafts are wrong, a draft that is ready adds its tokens for the price of
        verifying them.
        """
        if len(tree) == 1:
            return [0]
        tokens = float(geometric(self._own_rate.value, size).sum())
        gain = self._unserved.value * (tokens - float(self._price(1 + size) - self._price(1)))
        ending = tree.ending_odds()
        anchors: list[int] = []
        width = len(tree)
        for node in np.argsort(-ending, kind="stable")[: self._settings.anchors].tolist():
            if ending[node] * gain <= float(self._price(width + size) - self._price(width)):
                break
            anchors.append(node)
            width += size
        return anchors

    def _price(self, slots: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """Tokens that the seconds of a window are worth at the present pace."""
        return self._shared.costs.share(slots, self._shared.batch) * self._shared.pace.tokens_per_second


def own_draft(proposal: Proposal, scores: Scores, outcome: Outcome, rate: float) -> Draft | None:
    """What the blocks of a proposal drafted behind the new boundary; None where nothing fits.

    A block whose anchor lies on the accepted path fits if it drafted just what was committed after the
    anchor's own causal prediction; the deepest such block knows most. The odds of a token take the middle
    of what the mask claims and of ``rate``, what such claims have been worth.
    """
    best: tuple[int, Draft] | None = None
    begin = len(proposal.tree)
    for anchor, ids in proposal.blocks:
        slots = slice(begin, begin + len(ids))
        begin += len(ids)
        if anchor not in outcome.slots:
            continue
        depth = outcome.slots.index(anchor)
        known = outcome.tokens[depth + 1 :]
        drafted = scores.argmax[slots]
        fits = len(known) < len(ids) and drafted[: len(known)].tolist() == known
        if fits and (best is None or depth > best[0]) and scores.confidence is not None:
            claimed = scores.confidence[slots][len(known) :].astype(np.float64)
            odds = np.exp(np.cumsum((claimed + math.log(rate)) / 2))
            best = depth, Draft(drafted[len(known) :], odds, OWN)
    return best[1] if best else None


def _fate(draft: Draft, tokens: list[int]) -> tuple[int, int]:
    """Tokens that the draft got right, and 1 if it then went wrong, else 0."""
    hits = agreement(draft.tokens.tolist(), 0, tokens)
    return hits, int(hits < min(len(draft), len(tokens)))
