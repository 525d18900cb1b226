"""Proposers: what a round's window holds. One class of settings and one per-sequence class for each way to
draft."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley.decoding.accept import Outcome
from galley.decoding.budget import Costs, Pace, Rate
from galley.decoding.matching import DraftMatcher, MatchLimits, MatchOdds
from galley.decoding.pool import DraftPool
from galley.decoding.target import Need, Scores, Target
from galley.decoding.tree import Draft, PrefixTree, Source
from galley.decoding.window import Ids, Window

OWN = Source("own")
MTP = Source("mtp")
LARGEST_BLOCK = 512
"""Masks per block beyond which a window costs more than any draft can bring (the papers use 32)."""


@dataclass(eq=False)
class Proposal:
    """A round's window: a tree of drafts to verify behind the boundary, and drafting blocks.

    blocks: ``(anchor node, ids)``; see ``Window.with_blocks``. Their slots follow those of the tree.
    """

    tree: PrefixTree
    blocks: list[tuple[int, Ids]] = field(default_factory=list)

    def window(self) -> Window:
        return self.tree.window().with_blocks(self.blocks)


class Proposer:
    """Drafts for one sequence. This one drafts nothing: plain autoregressive decoding.

    Each round ``look`` is called, then ``propose``, and after the forward ``follow``.
    """

    need: Need = Need.ARGMAX
    """what ``follow`` wants to know beyond what acceptance needs"""

    def look(self, committed: list[int], room: int) -> int:
        """Look for drafts of what follows ``committed``, at most ``room`` tokens long.

        Returns how many tokens of the multi-token-prediction head are wanted besides.
        """
        self._committed, self._room = committed, room
        return 0

    def propose(self, mtp: Ids | None = None) -> Proposal:
        """The round's window. mtp: the tokens ``look`` wanted."""
        return Proposal(PrefixTree(self._committed[-1]))

    def follow(self, proposal: Proposal, scores: Scores, outcome: Outcome) -> None:
        """Take note of what became of the proposal."""


@dataclass(eq=False)
class Shared:
    """What all sequences of a decoder share: the model, what it costs, how it takes drafts."""

    target: Target
    costs: Costs
    pace: Pace
    matched: MatchOdds = field(default_factory=MatchOdds)
    looked_up: MatchOdds = field(default_factory=MatchOdds)
    own: Rate = field(default_factory=lambda: Rate(0.9))
    """acceptance per token of the model's own drafts"""
    mtp: Rate = field(default_factory=lambda: Rate(0.7))
    batch: int = 1
    """sequences running at the moment"""


class Proposals(Protocol):
    """Settings that start a proposer for each sequence."""

    needs_costs: bool

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer: ...


@dataclass(frozen=True)
class Plain:
    """Drafts nothing."""

    needs_costs = False

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer:
        return Proposer()


@dataclass(frozen=True)
class Match:
    """Free drafts matched against the text (HSD, 3).

    nodes: the most nodes of a tree of several places; a single place proposes a chain (see ``MatchLimits``).
    """

    limits: MatchLimits = field(default_factory=MatchLimits)
    nodes: int = 256
    needs_costs = False

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer:
        return _Matching(DraftMatcher(pool, self.limits, MatchOdds(shared.matched)), self.nodes)


class _Matching(Proposer):
    def __init__(self, matcher: DraftMatcher, nodes: int) -> None:
        self._matcher = matcher
        self._nodes = nodes

    def propose(self, mtp: Ids | None = None) -> Proposal:
        tree = PrefixTree(self._committed[-1])
        drafts = self._matcher.drafts(self._committed, self._room)
        for draft in drafts:
            tree.add(draft)
        return Proposal(tree.likeliest(1 + self._nodes) if len(drafts) > 1 else tree)

    def follow(self, proposal: Proposal, scores: Scores, outcome: Outcome) -> None:
        self._matcher.follow(outcome.tokens)


@dataclass(frozen=True)
class PromptLookup:
    """Drafts from the prompt and from the text written so far (n-gram prompt lookup)."""

    limits: MatchLimits = field(default_factory=lambda: MatchLimits(depth=10, chain=32, places=4, weakest=3))
    needs_costs = False

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer:
        matcher = PromptMatcher(prompt_ids, self.limits, MatchOdds(shared.looked_up))
        return _Matching(matcher, self.limits.places * self.limits.depth)


class PromptMatcher(DraftMatcher):
    """Matches against the prompt and against the output itself."""

    def __init__(self, prompt_ids: Sequence[int], limits: MatchLimits, odds: MatchOdds) -> None:
        super().__init__(DraftPool([prompt_ids, []]), limits, odds, "lookup")
        self._used = {0, 1}  # neither beginning is expected as output

    def drafts(self, committed: Sequence[int], room: int) -> list[Draft]:
        self.pool.extend(1, committed[len(self.pool[1]) :])
        return super().drafts(committed, room)


@dataclass(frozen=True)
class BlockDiffusion:
    """The model drafts for itself: a drafting forward, then a verifying one (GravityOCR, 3).

    block_size: masks per block, None for what the model was trained for. tau_d: None drafts in one shot; else
    masks whose probability exceeds it (the best one at least) are filled and the rest is drafted again.
    """

    block_size: int | None = None
    tau_d: float | None = None
    needs_costs = False

    def __post_init__(self) -> None:
        if self.block_size is not None and not 1 <= self.block_size <= LARGEST_BLOCK:
            raise ValueError(f"block_size is 1 to {LARGEST_BLOCK}, not {self.block_size}")
        if self.tau_d is not None and not 0 < self.tau_d <= 1:
            raise ValueError(f"tau_d is a probability above 0, not {self.tau_d}")

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer:
        mask, trained = shared.target.mask_id, shared.target.block_size
        size = self.block_size or trained
        if mask is None or size is None:
            raise ValueError("this model has no mask token to draft with; choose another proposer")
        return _SelfSpeculation(mask, size, self.tau_d)


class _SelfSpeculation(Proposer):
    def __init__(self, mask: int, size: int, tau_d: float | None) -> None:
        self._mask = mask
        self._size = size
        self._floor = None if tau_d is None else math.log(tau_d)
        self.need = Need.ARGMAX if tau_d is None else Need.CONFIDENCE
        self._forget()

    def propose(self, mtp: Ids | None = None) -> Proposal:
        tree = PrefixTree(self._committed[-1])
        if len(self._draft) and self._filled.all():
            tokens = self._draft[: self._room]
            tree.add(Draft(tokens, np.ones(len(tokens)), OWN))
        elif self._room > 0:
            block = np.where(self._filled, self._draft, self._mask)
            fresh = np.full(min(self._size, self._room), self._mask)
            return Proposal(tree, [(0, block if len(block) else fresh)])
        return Proposal(tree)

    def follow(self, proposal: Proposal, scores: Scores, outcome: Outcome) -> None:
        if not proposal.blocks:
            self._forget()
        elif self._floor is None or scores.confidence is None:
            self._draft = scores.argmax[1:]
            self._filled = np.ones(len(self._draft), dtype=bool)
        elif len(self._draft) == 0:
            self._draft = scores.argmax[1:]
            self._filled = self._surest(scores.confidence[1:], np.zeros(len(self._draft), dtype=bool))
        else:
            # The boundary moved on by one token: the draft follows it and the block ends where it ended.
            kept = self._filled[1:]
            self._draft = np.where(kept, self._draft[1:], scores.argmax[1:-1])
            self._filled = self._surest(scores.confidence[1:-1], kept)

    def _surest(self, confidence: NDArray[np.float32], filled: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """``filled`` and every mask above tau_d besides, one at least while there is any."""
        open_ = np.where(filled, -np.inf, confidence)
        chosen = filled | (open_ > self._floor)
        if len(chosen):
            chosen[np.argmax(open_)] = True
        return chosen

    def _forget(self) -> None:
        self._draft = np.zeros(0, dtype=np.int64)
        self._filled = np.zeros(0, dtype=bool)


@dataclass(frozen=True)
class Mtp:
    """Drafts of the model's multi-token-prediction head, ``depth`` tokens after the boundary."""

    depth: int = 3
    needs_costs = False

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer:
        if not hasattr(shared.target, "mtp"):
            raise ValueError("this model has no multi-token-prediction head; choose another proposer")
        return _MtpDrafting(self.depth)


class _MtpDrafting(Proposer):
    def __init__(self, depth: int) -> None:
        self._depth = depth

    def look(self, committed: list[int], room: int) -> int:
        super().look(committed, room)
        return min(self._depth, room)

    def propose(self, mtp: Ids | None = None) -> Proposal:
        tree = PrefixTree(self._committed[-1])
        if mtp is not None:
            tree.add(Draft(mtp, np.ones(len(mtp)), MTP))
        return Proposal(tree)
