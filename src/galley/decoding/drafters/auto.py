"""``auto``: every kind of draft at once, with windows sized by what forwards cost and what drafts have earned.

Free drafts come first, the model's own draft where none matches, both in one tree where both exist. The
yardstick is tokens per second: a slot is worth computing while the tokens it is expected to add exceed what
its seconds would give elsewhere at the present throughput.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from galley.decoding.accept import Outcome
from galley.decoding.budget import AcceptanceRate
from galley.decoding.drafters.base import (
    BatchChainDrafter,
    DecoderContext,
    Drafter,
    DrafterConfig,
    DraftWindow,
)
from galley.decoding.drafters.match import DraftMatching, PromptLookup
from galley.decoding.drafters.mtp import Mtp
from galley.decoding.drafters.self_speculation import SelfSpeculation
from galley.decoding.matching import agreement
from galley.decoding.pool import DraftPool
from galley.decoding.target import ScoreDetail, Scores
from galley.decoding.tree import SELF_DRAFT, Draft, PrefixTree, geometric
from galley.decoding.window import Ids

_SMALLEST_BLOCK = 4


@dataclass(frozen=True)
class Auto:
    """Composes a list of drafters into one tree per round.

    drafters: in order of preference; those that the model does not support are left out. Of the ones that cost
    no forward, the first that finds anything drafts; self-speculation drafts blocks beside the tree; the first
    head or smaller model drafts where nothing else does. nodes: the most tree nodes of a window. anchors: the
    most drafting blocks that ride along with a tree.
    """

    drafters: tuple[DrafterConfig, ...] = (DraftMatching(), PromptLookup(), SelfSpeculation(), Mtp())
    nodes: int = 1024
    anchors: int = 3
    name: ClassVar[str] = "auto"
    summary: ClassVar[str] = "all that the model supports, sized by what forwards cost"
    needs_costs: ClassVar[bool] = True

    def unsupported(self, target: Any) -> str | None:
        """Every model: what it does not support is left out."""
        return None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        free: list[Drafter] = []
        chains: list[BatchChainDrafter] = []
        block = 0
        for config in self.drafters:
            if config.unsupported(context.target):
                continue
            if isinstance(config, SelfSpeculation):
                block = config.block_size or context.target.block_size or 0
                continue
            drafter = config.start(context, pool, prompt_ids, prompt)
            if isinstance(drafter, BatchChainDrafter):
                chains.append(drafter)
            else:
                free.append(drafter)
        return _AutoDrafter(self, context, free, chains[0] if chains else None, block)


class _AutoDrafter(Drafter):
    detail = ScoreDetail.CONFIDENCE

    def __init__(
        self,
        settings: Auto,
        context: DecoderContext,
        free: list[Drafter],
        chain: BatchChainDrafter | None,
        block: int,
    ) -> None:
        self._settings, self._context = settings, context
        self._free, self._chain, self._trained_block = free, chain, block
        self.batch = chain.batch if chain else None
        self._self_rate = context.self_drafted.child()
        self._chain_rate = context.batch_drafted.child()
        self._unserved = AcceptanceRate(0.5)
        """share of rounds in which no free draft was right, so that a draft of the model's own is wanted"""
        self._found: list[Draft] = []
        self._self_draft: Draft | None = None
        self._chain_draft: Draft | None = None

    @property
    def asking(self) -> Drafter:
        return self._chain or self

    def prepare(self, committed: list[int], max_draft: int) -> int:
        super().prepare(committed, max_draft)
        for drafter in self._free:
            drafter.prepare(committed, max_draft)
        self._found = next((found for drafter in self._free if (found := drafter.drafts())), [])
        self._chain_draft = None
        if self._self_draft is not None:
            tokens, odds = self._self_draft.tokens[:max_draft], self._self_draft.odds[:max_draft]
            self._self_draft = Draft(tokens, odds, SELF_DRAFT) if max_draft > 0 else None
        if self._chain is None or self._found or self._self_draft is not None or self._block_size():
            return 0
        return self._chain.prepare(committed, max_draft)

    def draft(self, batch_draft: Ids | None = None) -> DraftWindow:
        if batch_draft is not None and self._chain is not None:
            odds = geometric(self._chain_rate.value, len(batch_draft))
            self._chain_draft = Draft(batch_draft, odds, self._chain.source)
        tree = PrefixTree(self.committed[-1])
        for draft in (*self._found, self._self_draft, self._chain_draft):
            if draft is not None:
                tree.add(draft)
        tree = tree.likeliest(min(self._worthwhile(tree), 1 + self._settings.nodes))
        mask = self._context.target.mask_id or 0
        size = self._block_size()
        anchors = self._anchors(tree, size) if size and self.max_draft > 1 else []
        return DraftWindow(tree, [(anchor, np.full(size, mask, dtype=np.int64)) for anchor in anchors])

    def observe(self, window: DraftWindow, scores: Scores, outcome: Outcome) -> None:
        served = any(_agreed(draft, outcome.tokens)[0] for draft in self._found)
        self._unserved.see(int(not served), int(served))
        for drafter in self._free:
            drafter.observe(window, scores, outcome)
        for draft, rate in ((self._self_draft, self._self_rate), (self._chain_draft, self._chain_rate)):
            if draft is not None:
                rate.see(*_agreed(draft, outcome.tokens))
            else:
                rate.forget(1)
        self._self_draft = self_draft(window, scores, outcome, self._self_rate.value)

    def close(self) -> None:
        for drafter in (*self._free, self._chain):
            if drafter is not None:
                drafter.close()

    def _worthwhile(self, tree: PrefixTree) -> int:
        """How many of the likeliest nodes maximise expected tokens minus the worth of the time they take."""
        odds = np.sort(np.asarray(tree.odds))[::-1]
        return int(np.argmax(np.cumsum(odds) - self._price(np.arange(1, len(odds) + 1)))) + 1

    def _block_size(self) -> int:
        """Masks per drafting block that pay best; 0 where a plain step is better than a draft.

        A block of b masks adds a^1 + ... + a^b tokens at acceptance a, for b slots to draft and b to verify.
        """
        trained = self._trained_block
        if not trained:
            return 0
        best, best_gain = 0, 0.0
        size = trained
        while size >= min(_SMALLEST_BLOCK, trained):
            tokens = float(geometric(self._self_rate.value, size).sum())
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
        tokens = float(geometric(self._self_rate.value, size).sum())
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
        """Tokens that the seconds of a window are worth at the present throughput."""
        return (
            self._context.costs.share(slots, self._context.batch) * self._context.throughput.tokens_per_second
        )


def self_draft(window: DraftWindow, scores: Scores, outcome: Outcome, rate: float) -> Draft | None:
    """What the blocks of a window drafted behind the new boundary; None where nothing fits.

    A block whose anchor lies on the accepted path fits if it drafted just what was committed after the
    anchor's own causal prediction; the deepest such block knows most. The odds of a token take the middle
    of what the mask claims and of ``rate``, what such claims have been worth.
    """
    best: tuple[int, Draft] | None = None
    begin = len(window.tree)
    for anchor, ids in window.blocks:
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
            best = depth, Draft(drafted[len(known) :], odds, SELF_DRAFT)
    return best[1] if best else None


def _agreed(draft: Draft, tokens: list[int]) -> tuple[int, int]:
    """Tokens that the draft got right, and 1 if it then went wrong, else 0."""
    hits = agreement(draft.tokens.tolist(), 0, tokens)
    return hits, int(hits < min(len(draft), len(tokens)))
