"""Galley's drafters for engines that decode by themselves and verify one chain of tokens.

An engine with paged attention verifies chains, not trees, and always from the last committed token on. What it kept is
known only afterwards. So a tree is cut to its likeliest path. A drafting forward's prediction for the boundary, which
Galley's own decoder commits at once, leads the chain instead: ``[a0, d1 .. dB]`` (GravityOCR, section 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np

from galley.decoding import (
    DraftMatching,
    DraftPool,
    ForwardCosts,
    MatchLimits,
    Scores,
    SelfSpeculation,
    Source,
    Target,
    Window,
)
from galley.decoding.accept import Outcome
from galley.decoding.budget import Throughput
from galley.decoding.drafters import DecoderContext, Drafter, DrafterConfig, DraftWindow
from galley.decoding.matching import agreement
from galley.decoding.tree import MODEL, PrefixTree
from galley.decoding.window import Ids

Forward = Callable[[Sequence["ChainDrafter"], Sequence[Window]], Sequence[Ids]]
"""Runs one drafting window (a boundary and its masks) per sequence; the arg-max after each slot."""


@dataclass(frozen=True)
class Masks:
    """What a checkpoint that drafts for itself says: its mask token and the masks per block."""

    mask_id: int | None = None
    block_size: int | None = None


def start(config: DrafterConfig, masks: Masks, pool: DraftPool, prompt_ids: Sequence[int] = ()) -> Drafter:
    """A drafter for one sequence of an engine. Costs are not known there and count as flat."""
    flat = ForwardCosts.flat()
    # Of the model, the drafters that suit an engine read nothing but its masks.
    return config.start(DecoderContext(cast(Target, masks), flat, Throughput(flat)), pool, prompt_ids)


@dataclass(frozen=True)
class MatchOrSelfDraft:
    """Free drafts where they match, the model's own block where none does: ``auto`` of an engine.

    Attributes:
        self_speculation: None for a model that cannot draft for itself.
    """

    self_speculation: SelfSpeculation | None = None
    limits: MatchLimits = field(default_factory=MatchLimits)
    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "free drafts where they match, the model's own where none does"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        """As ``self_speculation`` says, where it is given."""
        return self.self_speculation.unsupported(target) if self.self_speculation else None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        matching = DraftMatching(self.limits).start(context, pool, prompt_ids)
        if self.self_speculation is None:
            return matching
        return _MatchOrSelfDrafter(matching, self.self_speculation.start(context, pool, prompt_ids))


class _MatchOrSelfDrafter(Drafter):
    def __init__(self, matching: Drafter, self_speculation: Drafter) -> None:
        self._both = (matching, self_speculation)

    def prepare(self, committed: list[int], max_draft: int) -> int:
        for drafter in self._both:
            drafter.prepare(committed, max_draft)
        return 0

    def draft(self, batch_draft: Ids | None = None) -> DraftWindow:
        matching, self_speculation = self._both
        found = matching.draft()
        return found if len(found.tree) > 1 else self_speculation.draft()

    def observe(self, window: DraftWindow, scores: Scores, outcome: Outcome) -> None:
        for drafter in self._both:
            drafter.observe(window, scores, outcome)


class ChainDrafter:
    """One sequence's drafter, driven from outside.

    Each round: ``begin`` with all tokens committed so far, then, while ``window`` is not None, run it and
    ``take`` its predictions; ``chain`` is what the engine is to verify.

    Args:
        longest: The most tokens of a chain.
    """

    def __init__(self, drafter: Drafter, longest: int) -> None:
        self._drafter, self._longest = drafter, longest
        self.sources: list[Source] = []
        """of each committed token that was taken note of"""
        self.rounds: list[ChainRound] = []
        """those that are over"""
        self.window: Window | None = None
        self._forget()

    def begin(self, committed: Sequence[int], max_draft: int) -> None:
        """Take note of the tokens committed since the last chain and look for drafts of what follows.

        Args:
            committed: All tokens of the output so far, at least one.
            max_draft: The most tokens the chain may have.
        """
        self.note(committed)
        self._forget()
        self._committed = list(committed)
        self._max_draft = min(max_draft, self._longest)
        self._extend()

    def take(self, predicted: Ids) -> None:
        """Predictions after each slot of ``window``: the first leads the chain, the others are drafts."""
        draft, first = self._draft, int(predicted[0])
        assert draft is not None and self.window is not None
        self._masks += len(self.window) - 1
        self._drafter.observe(draft, Scores(predicted), Outcome([0], [first], [None]))
        self._append(first, MODEL)
        self._lead += 1
        self._committed.append(first)
        self._extend()

    def note(self, committed: Sequence[int]) -> None:
        """Take note of the tokens committed so far without looking for more; may be repeated."""
        fresh = [int(token) for token in committed[len(self.sources) :]]
        if not fresh:
            return
        accepted = agreement(self.chain, 0, fresh[:-1])
        drafted = max(accepted - self._lead, 0)
        if self._draft is not None:
            behind = fresh[self._lead :]
            outcome = Outcome(list(range(drafted + 1)), behind, [None] * len(behind))
            self._drafter.observe(self._draft, Scores(np.zeros(0, dtype=np.int64)), outcome)
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
        self._draft: DraftWindow | None = None

    def _extend(self) -> None:
        """Ask the drafter what follows; a block to fill goes to ``window``, else the chain is complete."""
        max_draft = self._max_draft - len(self.chain)
        self._drafter.prepare(self._committed, max(max_draft, 0))
        self._draft = draft = self._drafter.draft()
        self.window = draft.window() if draft.blocks else None
        if self.window is None:
            for token, source in likeliest_path(draft.tree)[:max_draft]:
                self._append(token, source)

    def _append(self, token: int, source: Source) -> None:
        self.chain.append(token)
        self._chain_sources.append(source)


@dataclass(frozen=True)
class ChainRound:
    """What one round took.

    Attributes:
        drafted: drafted tokens verified; the lead is none.
        masks: masks of its drafting forward; 0 for none.
        accepted: drafted tokens accepted.
    """

    drafted: int
    masks: int
    accepted: int


def draft_chains(
    drafters: Sequence[ChainDrafter],
    committed: Sequence[Sequence[int]],
    max_drafts: Sequence[int],
    forward: Forward,
) -> list[list[int]]:
    """The chain of each sequence; drafting windows of all of them go through ``forward`` together."""
    for drafter, tokens, max_draft in zip(drafters, committed, max_drafts, strict=True):
        drafter.begin(tokens, max_draft)
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
