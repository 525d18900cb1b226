"""Galley's proposers where somebody else's engine decodes: it asks for one line of tokens, verifies it, and
what it kept is known only afterwards.

An engine with paged attention verifies chains, not trees, and always from the last committed token on. So a
tree is cut to its likeliest path, and a drafting forward's prediction for the boundary, which Galley's own
decoder commits at once, leads the chain instead: ``[a0, d1 .. dB]`` (GravityOCR, 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from galley.decoding import (
    BlockDiffusion,
    Costs,
    DraftPool,
    Match,
    MatchLimits,
    Scores,
    Source,
    Target,
    Window,
)
from galley.decoding.accept import Outcome
from galley.decoding.budget import Pace
from galley.decoding.matching import agreement
from galley.decoding.proposers import Proposal, Proposals, Proposer, Shared
from galley.decoding.tree import MODEL, PrefixTree
from galley.decoding.window import Ids

Forward = Callable[[Sequence["ChainDrafter"], Sequence[Window]], Sequence[Ids]]
"""Runs one drafting window (a boundary and its masks) per sequence; the arg-max after each slot."""


@dataclass(frozen=True)
class Masks:
    """What a checkpoint that drafts for itself says: its mask token and the masks per block."""

    mask_id: int | None = None
    block_size: int | None = None


def start(proposals: Proposals, masks: Masks, pool: DraftPool, prompt_ids: Sequence[int] = ()) -> Proposer:
    """A proposer for one sequence of an engine. Costs are not known there and count as flat."""
    flat = Costs.flat()
    # Of the model, the proposers that suit an engine read nothing but its masks.
    return proposals.start(Shared(cast(Target, masks), flat, Pace(flat)), pool, prompt_ids)


@dataclass(frozen=True)
class MatchOrOwn:
    """Free drafts where they match, the model's own block where none does.

    own: None for a model that cannot draft for itself.
    """

    own: BlockDiffusion | None = None
    limits: MatchLimits = field(default_factory=MatchLimits)
    needs_costs = False

    def start(self, shared: Shared, pool: DraftPool, prompt_ids: Sequence[int]) -> Proposer:
        matching = Match(self.limits).start(shared, pool, prompt_ids)
        if self.own is None:
            return matching
        return _MatchOrOwn(matching, self.own.start(shared, pool, prompt_ids))


class _MatchOrOwn(Proposer):
    def __init__(self, matching: Proposer, own: Proposer) -> None:
        self._both = (matching, own)

    def look(self, committed: list[int], room: int) -> int:
        for proposer in self._both:
            proposer.look(committed, room)
        return 0

    def propose(self, mtp: Ids | None = None) -> Proposal:
        matching, own = self._both
        found = matching.propose()
        return found if len(found.tree) > 1 else own.propose()

    def follow(self, proposal: Proposal, scores: Scores, outcome: Outcome) -> None:
        for proposer in self._both:
            proposer.follow(proposal, scores, outcome)


class ChainDrafter:
    """One sequence's proposer, driven from outside.

    Each round: ``begin`` with all tokens committed so far, then, while ``window`` is not None, run it and
    ``take`` its predictions; ``chain`` is what the engine is to verify.

    longest: the most tokens of a chain.
    """

    def __init__(self, proposer: Proposer, longest: int) -> None:
        self._proposer, self._longest = proposer, longest
        self.sources: list[Source] = []
        """of each committed token that was taken note of"""
        self.rounds: list[ChainRound] = []
        """those that are over"""
        self.window: Window | None = None
        self._forget()

    def begin(self, committed: Sequence[int], room: int) -> None:
        """Take note of the tokens committed since the last chain and look for drafts of what follows.

        committed: all tokens of the output so far, at least one. room: the most tokens the chain may have.
        """
        self.note(committed)
        self._forget()
        self._committed = list(committed)
        self._room = min(room, self._longest)
        self._look()

    def take(self, predicted: Ids) -> None:
        """Predictions after each slot of ``window``: the first leads the chain, the others are drafts."""
        proposal, first = self._proposal, int(predicted[0])
        assert proposal is not None and self.window is not None
        self._masks += len(self.window) - 1
        self._proposer.follow(proposal, Scores(predicted), Outcome([0], [first], [None]))
        self._append(first, MODEL)
        self._lead += 1
        self._committed.append(first)
        self._look()

    def note(self, committed: Sequence[int]) -> None:
        """Take note of the tokens committed so far without looking for more; may be repeated."""
        fresh = [int(token) for token in committed[len(self.sources) :]]
        if not fresh:
            return
        accepted = agreement(self.chain, 0, fresh[:-1])
        drafted = max(accepted - self._lead, 0)
        if self._proposal is not None:
            behind = fresh[self._lead :]
            outcome = Outcome(list(range(drafted + 1)), behind, [None] * len(behind))
            self._proposer.follow(self._proposal, Scores(np.zeros(0, dtype=np.int64)), outcome)
        if self.sources:
            self.rounds.append(ChainRound(len(self.chain) - self._lead, self._masks, drafted))
        self.sources += [*self._chain_sources[:accepted], *[MODEL] * (len(fresh) - accepted)]
        self._forget()

    def _forget(self) -> None:
        self.chain: list[int] = []
        self._chain_sources: list[Source] = []
        self._lead = 0
        """tokens at the chain's beginning that drafting forwards predicted"""
        self._masks = 0
        self._proposal: Proposal | None = None

    def _look(self) -> None:
        """Ask the proposer what follows; a block to fill goes to ``window``, else the chain is complete."""
        room = self._room - len(self.chain)
        self._proposer.look(self._committed, max(room, 0))
        self._proposal = proposal = self._proposer.propose()
        self.window = proposal.window() if proposal.blocks else None
        if self.window is None:
            for token, source in likeliest_path(proposal.tree)[:room]:
                self._append(token, source)

    def _append(self, token: int, source: Source) -> None:
        self.chain.append(token)
        self._chain_sources.append(source)


@dataclass(frozen=True)
class ChainRound:
    """What one round took: drafted tokens verified (the lead is none), masks of its drafting forward (0 for
    none), drafted tokens accepted.
    """

    drafted: int
    masks: int
    accepted: int


def draft_chains(
    drafters: Sequence[ChainDrafter],
    committed: Sequence[Sequence[int]],
    rooms: Sequence[int],
    forward: Forward,
) -> list[list[int]]:
    """The chain of each sequence; drafting windows of all of them go through ``forward`` together."""
    for drafter, tokens, room in zip(drafters, committed, rooms, strict=True):
        drafter.begin(tokens, room)
    while waiting := [drafter for drafter in drafters if drafter.window is not None]:
        windows = [drafter.window for drafter in waiting if drafter.window is not None]
        for drafter, predicted in zip(waiting, forward(waiting, windows), strict=True):
            drafter.take(predicted)
    return [drafter.chain for drafter in drafters]


def likeliest_path(tree: PrefixTree) -> list[tuple[int, Source]]:
    """The tokens on the way from the boundary down, at each fork the child with the best odds."""
    best: dict[int, int] = {}
    for child in range(1, len(tree)):
        parent = tree.parents[child]
        if parent not in best or tree.odds[child] > tree.odds[best[parent]]:
            best[parent] = child
    path: list[tuple[int, Source]] = []
    node = 0
    while (below := best.get(node)) is not None:
        path.append((tree.tokens[below], tree.sources[below]))
        node = below
    return path
