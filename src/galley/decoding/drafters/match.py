"""Drafts matched against the text: free drafts of others (HSD, section 3), and the text itself (prompt lookup)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from galley.decoding.accept import Outcome
from galley.decoding.drafters.base import DecoderContext, Drafter, DraftWindow
from galley.decoding.matching import DraftMatcher, MatchLimits, MatchOdds
from galley.decoding.pool import DraftPool, in_vocabulary
from galley.decoding.target import Scores
from galley.decoding.tree import Draft, PrefixTree
from galley.decoding.window import Ids


@dataclass(frozen=True)
class DraftMatching:
    """Free drafts matched against the text (HSD, section 3: draft–target matching).

    Attributes:
        limits: how the text is matched.
        nodes: most nodes of a tree of several places; a single place proposes a chain (see ``MatchLimits``).
    """

    limits: MatchLimits = field(default_factory=MatchLimits)
    nodes: int = 256
    name: ClassVar[str] = "match"
    summary: ClassVar[str] = "free drafts, where the text matches them"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        """Every model takes free drafts."""
        return None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        return _MatchDrafter(DraftMatcher(pool, self.limits, MatchOdds(context.matched)), self.nodes)


@dataclass(frozen=True)
class PromptLookup:
    """Drafts from the prompt and from the text written so far (n-gram prompt lookup)."""

    limits: MatchLimits = field(default_factory=lambda: MatchLimits(depth=10, chain=32, places=4, weakest=3))
    name: ClassVar[str] = "prompt-lookup"
    summary: ClassVar[str] = "text of the prompt and of the output so far"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        """Every model can look its own text up."""
        return None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        known = in_vocabulary(prompt_ids, context.target.vocab_size) if prompt_ids else []
        matcher = _PromptMatcher(known, self.limits, MatchOdds(context.looked_up))
        return _MatchDrafter(matcher, self.limits.places * self.limits.depth)


class _PromptMatcher(DraftMatcher):
    """Matches against the prompt and against the output itself."""

    def __init__(self, prompt_ids: Sequence[int], limits: MatchLimits, odds: MatchOdds) -> None:
        super().__init__(DraftPool([prompt_ids, []]), limits, odds, PromptLookup.name)
        self._used = {0: 0, 1: 0}  # neither beginning is expected as output

    def drafts(self, committed: Sequence[int], max_draft: int) -> list[Draft]:
        self.pool.extend(1, committed[len(self.pool[1]) :])
        return super().drafts(committed, max_draft)


class _MatchDrafter(Drafter):
    def __init__(self, matcher: DraftMatcher, nodes: int) -> None:
        self._matcher = matcher
        self._nodes = nodes

    def drafts(self) -> list[Draft]:
        return self._matcher.drafts(self.committed, self.max_draft)

    def draft(self, batch_draft: Ids | None = None) -> DraftWindow:
        tree = PrefixTree(self.committed[-1])
        drafts = self.drafts()
        for draft in drafts:
            tree.add(draft)
        return DraftWindow(tree.likeliest(1 + self._nodes) if len(drafts) > 1 else tree)

    def observe(self, window: DraftWindow, scores: Scores, outcome: Outcome) -> None:
        self._matcher.follow(outcome.tokens)
