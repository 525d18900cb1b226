"""``auto``: every kind of draft at once, with windows sized by what forwards cost and what drafts have
earned.

Free drafts come first, the model's own draft where none matches, both in one tree where both exist. The
yardstick is tokens per second: a slot is worth computing while the tokens it is expected to add exceed what
its seconds would give elsewhere at the present pace.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.decoding.accept import Outcome
from galley.decoding.matching import DraftMatcher, MatchLimits, agreement
from galley.decoding.pool import DraftPool
from galley.decoding.proposers import MTP, OWN, PromptLookup, PromptMatcher, Proposal, Proposer, Shared
from galley.decoding.target import Need, Scores
from galley.decoding.tree import Draft, PrefixTree, geometric
from galley.decoding.window import Ids

PRIOR_RATES = {"draft": 0.95, "own": 0.9, "mtp": 0.7, "lookup": 0.6}
"""Acceptance per drafted token before any has been seen; eight tokens' worth of belief."""

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
        self._rates = {kind: rate.child() for kind, rate in shared.rates.items()}
        self._matcher = DraftMatcher(pool, settings.limits, "draft")
        self._lookup = PromptMatcher(prompt_ids, PromptLookup().limits)
        self._own: Draft | None = None
        self._drafts: list[Draft] = []

    def look(self, committed: list[int], room: int) -> int:
        super().look(committed, room)
        self._drafts = self._matcher.drafts(committed, self._rates["draft"].value, room)
        if not self._drafts:
            self._drafts = self._lookup.drafts(committed, self._rates["lookup"].value, room)
        if self._own is not None and room > 0:
            self._drafts.append(Draft(self._own.tokens[:room], self._own.odds[:room], OWN))
        wants_mtp = not self._drafts and hasattr(self._shared.target, "mtp") and not self._block_size()
        return min(self._settings.mtp_depth, room) if wants_mtp else 0

    def propose(self, mtp: Ids | None = None) -> Proposal:
        if mtp is not None:
            self._drafts.append(Draft(mtp, geometric(self._rates["mtp"].value, len(mtp)), MTP))
        tree = PrefixTree(self._committed[-1])
        for draft in self._drafts:
            tree.add(draft)
        tree = tree.likeliest(min(self._worthwhile(tree), 1 + self._settings.nodes))
        mask = self._shared.target.mask_id or 0
        size = self._block_size()
        anchors = self._anchors(tree, size) if size and self._room > 1 else []
        return Proposal(tree, [(anchor, np.full(size, mask, dtype=np.int64)) for anchor in anchors])

    def follow(self, proposal: Proposal, scores: Scores, outcome: Outcome) -> None:
        self._matcher.follow(outcome.tokens)
        self._lookup.follow(outcome.tokens)
        for kind, rate in self._rates.items():
            drafts = [draft for draft in self._drafts if draft.source.kind == kind]
            if drafts:
                rate.see(*_fate(drafts, outcome.tokens))
            else:
                rate.forget(1)
        self._own = own_draft(proposal, scores, outcome)

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
            tokens = float(geometric(self._rates["own"].value, size).sum())
            gain = tokens - 2 * float(self._price(1 + size) - self._price(1))
            if gain > best_gain:
                best, best_gain = size, gain
            size //= 2
        return best

    def _anchors(self, tree: PrefixTree, size: int) -> list[int]:
        """Nodes behind which to draft already: the likeliest ends of acceptance, while that saves time.

        A draft that is ready saves a drafting forward, which would have given one token.
        """
        if len(tree) == 1:
            return [0]
        saved = float(self._price(1 + size)) - 1.0
        ending = tree.ending_odds()
        anchors: list[int] = []
        width = len(tree)
        for node in np.argsort(-ending, kind="stable")[: self._settings.anchors].tolist():
            if ending[node] * saved <= float(self._price(width + size) - self._price(width)):
                break
            anchors.append(node)
            width += size
        return anchors

    def _price(self, slots: NDArray[np.int64] | int) -> NDArray[np.float64]:
        """Tokens that the seconds of a window are worth at the present pace."""
        return self._shared.costs.share(slots, self._shared.batch) * self._shared.pace.tokens_per_second


def own_draft(proposal: Proposal, scores: Scores, outcome: Outcome) -> Draft | None:
    """What the blocks of a proposal drafted behind the new boundary; None where nothing fits.

    A block whose anchor lies on the accepted path fits if it drafted just what was committed after the
    anchor's own causal prediction; the deepest such block knows most.
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
        if (
            len(known) < len(ids)
            and drafted[: len(known)].tolist() == known
            and (not best or depth > best[0])
        ):
            confidence = scores.confidence if scores.confidence is not None else np.zeros(len(scores.argmax))
            odds = np.exp(np.cumsum(confidence[slots][len(known) :], dtype=np.float64))
            best = depth, Draft(drafted[len(known) :], odds, OWN)
    return best[1] if best else None


def _fate(drafts: Iterable[Draft], tokens: list[int]) -> tuple[int, int]:
    """Tokens that the best of the drafts got right, and 1 if it then went wrong, else 0."""
    hits, length = max((agreement(draft.tokens.tolist(), 0, tokens), len(draft)) for draft in drafts)
    return hits, int(hits < min(length, len(tokens)))
