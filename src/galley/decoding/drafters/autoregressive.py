"""No draft at all: plain autoregressive decoding, one token per forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from galley.decoding.drafters.base import DecoderContext, Drafter, DraftWindow
from galley.decoding.pool import DraftPool
from galley.decoding.tree import PrefixTree
from galley.decoding.window import Ids


@dataclass(frozen=True)
class Autoregressive:
    """Drafts nothing."""

    name: ClassVar[str] = "ar"
    summary: ClassVar[str] = "no draft, one token per forward"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        """Every model decodes so."""
        return None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        return _AutoregressiveDrafter()


class _AutoregressiveDrafter(Drafter):
    def draft(self, batch_draft: Ids | None = None) -> DraftWindow:
        return DraftWindow(PrefixTree(self.committed[-1]))
