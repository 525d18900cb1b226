"""Drafts of a model's multi-token-prediction head."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from galley.decoding.drafters.base import (
    BatchChainDrafter,
    BatchItem,
    DecoderContext,
    Drafter,
    check_supported,
)
from galley.decoding.pool import DraftPool
from galley.decoding.target import MtpTarget
from galley.decoding.tree import Source
from galley.decoding.window import Ids


@dataclass(frozen=True)
class Mtp:
    """Drafts of the model's multi-token-prediction head, ``depth`` tokens after the boundary."""

    depth: int = 3
    name: ClassVar[str] = "mtp"
    summary: ClassVar[str] = "the model's multi-token-prediction head"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        """A model without such a head."""
        return None if hasattr(target, "mtp") else "has no multi-token-prediction head"

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        check_supported(self, context.target)
        target: Any = context.target
        head = context.batch_drafters.setdefault(Mtp.name, _MtpHead(target))
        return BatchChainDrafter(head, self.depth, Source(self.name))


class _MtpHead:
    """The head as a ``BatchDrafter``."""

    def __init__(self, target: MtpTarget) -> None:
        self._target = target

    def draft(self, items: Sequence[BatchItem]) -> list[Ids]:
        depth = max(item.length for item in items)
        drafted = self._target.mtp([(item.handle, item.drafter.committed[-1]) for item in items], depth)
        return [tokens[: item.length] for tokens, item in zip(drafted, items, strict=True)]
