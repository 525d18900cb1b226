"""What every drafter has in common: its settings, its per-sequence object, and the window it asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from galley.decoding.accept import Outcome
from galley.decoding.budget import AcceptanceRate, ForwardCosts, Throughput
from galley.decoding.matching import MatchOdds
from galley.decoding.pool import DraftPool
from galley.decoding.target import Handle, ScoreDetail, Scores, Target
from galley.decoding.tree import Draft, PrefixTree, Source
from galley.decoding.window import Ids, Window


@dataclass(eq=False)
class DraftWindow:
    """A round's window: a tree of drafts to verify behind the boundary, and drafting blocks.

    blocks: ``(anchor node, ids)``; see ``Window.with_blocks``. Their slots follow those of the tree.
    """

    tree: PrefixTree
    blocks: list[tuple[int, Ids]] = field(default_factory=list)

    def window(self) -> Window:
        """The slots of the tree, then those of the blocks."""
        return self.tree.window().with_blocks(self.blocks)


class BatchItem(NamedTuple):
    """One sequence that a ``BatchDrafter`` drafts for.

    drafter: the sequence's drafter, which holds the committed tokens and whatever state the draft needs.
    handle: what the target knows the sequence by. length: how many tokens are wanted.
    """

    drafter: Drafter
    handle: Handle
    length: int


class BatchDrafter(Protocol):
    """Drafts for many sequences in one call: a head on the target (MTP, EAGLE, Medusa) or a smaller model.

    One object serves all sequences of a decoder, so that their drafts cost one batched forward.
    """

    def draft(self, items: Sequence[BatchItem]) -> list[Ids]:
        """Token ids that may follow each item's boundary, at most ``item.length`` of them."""
        ...


class Drafter:
    """Drafts for one sequence. Each round ``prepare`` is called, then ``draft``, and after the forward ``observe``.

    A drafter that ``Auto`` composes with others also answers ``drafts``.
    """

    detail: ScoreDetail = ScoreDetail.ARGMAX
    """what ``observe`` wants to know beyond what acceptance needs"""
    batch: BatchDrafter | None = None
    """drafts for all sequences in one call, where the draft takes a forward of a head or of another model"""

    @property
    def asking(self) -> Drafter:
        """The drafter that ``batch`` drafts for: this one, or the one of those it composes."""
        return self

    def prepare(self, committed: list[int], max_draft: int) -> int:
        """Take note of the tokens ``committed`` so far and of how many drafted ones may be committed next.

        Returns how many tokens are wanted of ``batch``; 0 where there is none.
        """
        self.committed, self.max_draft = committed, max_draft
        return 0

    def drafts(self) -> list[Draft]:
        """Drafts that cost no forward, with their odds, at most ``max_draft`` tokens each."""
        return []

    def draft(self, batch_draft: Ids | None = None) -> DraftWindow:
        """The round's window.

        Args:
            batch_draft: (k,) the token ids that ``prepare`` wanted of ``batch``; None where they were not drafted.
        """
        raise NotImplementedError

    def observe(self, window: DraftWindow, scores: Scores, outcome: Outcome) -> None:
        """Take note of what became of the window."""

    def close(self) -> None:
        """Free what the drafter holds; the sequence is over. Safe to call twice."""


class BatchChainDrafter(Drafter):
    """Verifies the chain of up to ``depth`` tokens that a ``BatchDrafter`` drafts for the sequence."""

    def __init__(self, batch: BatchDrafter, depth: int, source: Source) -> None:
        self.batch, self._depth, self.source = batch, depth, source

    def prepare(self, committed: list[int], max_draft: int) -> int:
        super().prepare(committed, max_draft)
        return min(self._depth, max_draft)

    def draft(self, batch_draft: Ids | None = None) -> DraftWindow:
        tree = PrefixTree(self.committed[-1])
        if batch_draft is not None:
            tree.add(Draft(batch_draft, np.ones(len(batch_draft)), self.source))
        return DraftWindow(tree)


@dataclass(eq=False)
class DecoderContext:
    """What all sequences of a decoder share: the model, what its forwards cost, how it takes drafts."""

    target: Target
    costs: ForwardCosts
    throughput: Throughput
    matched: MatchOdds = field(default_factory=MatchOdds)
    looked_up: MatchOdds = field(default_factory=MatchOdds)
    self_drafted: AcceptanceRate = field(default_factory=lambda: AcceptanceRate(0.9))
    """acceptance per token of the model's own block-diffusion drafts"""
    batch_drafted: AcceptanceRate = field(default_factory=lambda: AcceptanceRate(0.7))
    """acceptance per token of a head's or a smaller model's drafts"""
    batch: int = 1
    """sequences running at the moment"""
    batch_drafters: dict[Any, BatchDrafter] = field(default_factory=dict)
    """batch drafters that sequences share, by whatever their settings are told apart by"""


class DrafterConfig(Protocol):
    """Settings of a way of drafting, which start a drafter for each sequence.

    name: as it is asked for on the command line. summary: what it drafts, in a few words. needs_costs: whether
    the seconds of a forward have to be measured first.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    needs_costs: ClassVar[bool]

    def unsupported(self, target: Any) -> str | None:
        """Why ``target`` cannot be drafted for this way, as the end of "this model ..."; None where it can."""
        ...

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """A drafter for one sequence.

        Args:
            context: what the sequences of the decoder share.
            pool: the request's free drafts.
            prompt_ids: token ids of the prompt, where known.
            prompt: what the target reads; for drafters that read the prompt with a model of their own.

        Raises:
            ValueError: the target cannot be drafted for this way.
        """
        ...


def check_supported(config: DrafterConfig, target: Any) -> None:
    """Raise ``ValueError`` where ``target`` cannot be drafted for as ``config`` says."""
    if reason := config.unsupported(target):
        raise ValueError(f"this model {reason}; choose another way of drafting than {config.name!r}")
