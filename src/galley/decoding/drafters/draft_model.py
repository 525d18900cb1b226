"""An independent smaller model drafts and the target verifies (speculative decoding as it was first proposed).

The HSD paper lists it as a peer (VSD). The smaller model is any ``Target`` of the same tokenizer; it reads the same
prompt and keeps a cache of its own, which follows what the target commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from galley.decoding.drafters.base import (
    BatchChainDrafter,
    BatchItem,
    DecoderContext,
    Drafter,
    check_supported,
)
from galley.decoding.matching import agreement
from galley.decoding.pool import DraftPool
from galley.decoding.target import Handle, Target
from galley.decoding.tree import Source
from galley.decoding.window import Ids, Window


@dataclass(frozen=True, eq=False)
class DraftModel:
    """Drafts of a smaller model.

    It is started with a model, so it is no entry of ``DRAFTERS``: pass it to ``Decoder``, to a ``Request``, or to
    ``Auto`` among its ``drafters``.

    Attributes:
        model: a target of the same tokenizer, which takes the same prompts.
        depth: tokens drafted after the boundary, each by a forward of ``model``.
    """

    model: Target
    depth: int = 8
    name: ClassVar[str] = "draft-model"
    summary: ClassVar[str] = "a smaller model of the same tokenizer"
    needs_costs: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise ValueError(f"depth is at least 1, not {self.depth}")

    def unsupported(self, target: Any) -> str | None:
        """A model cannot draft for itself this way: its cache would be in two states at once."""
        return "cannot be its own draft model" if target is self.model else None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """See ``DrafterConfig.start``."""
        check_supported(self, context.target)
        batch = context.batch_drafters.setdefault(
            (self.name, id(self.model)), _ModelDrafts(self.model, context.target.vocab_size)
        )
        assert isinstance(batch, _ModelDrafts)
        return _DraftModelDrafter(batch, self.depth, prompt)


class _DraftModelDrafter(BatchChainDrafter):
    """One sequence as the smaller model knows it.

    Attributes:
        handle: None before its prompt is read.
        cached: Committed tokens in its cache.
        pending: Tokens of its last window, which are not in the cache yet because the target had not judged them.
    """

    def __init__(self, batch: _ModelDrafts, depth: int, prompt: Any) -> None:
        super().__init__(batch, depth, Source(DraftModel.name))
        self._drafts = batch
        self.prompt = prompt
        self.handle: Handle = None
        self.cached = 0
        self.pending: list[int] = []

    def close(self) -> None:
        if self.handle is not None:
            self._drafts.model.release(self.handle)
            self.handle = None


class _ModelDrafts:
    """The smaller model as a ``BatchDrafter``.

    A target's cache takes tokens back only as long as they are not committed to it. So nothing that is drafted is
    committed here before the target has accepted it: each step's window holds all tokens drafted so far, and what the
    target accepted of the last one is committed at the beginning of the next round.
    """

    def __init__(self, model: Target, vocab_size: int) -> None:
        self.model = model
        self._known = min(vocab_size, model.vocab_size)

    def draft(self, items: Sequence[BatchItem]) -> list[Ids]:
        drafters = [_own(item) for item in items]
        self._open([drafter for drafter in drafters if drafter.handle is None])
        for drafter in drafters:
            self._follow(drafter)
        drafted: list[list[int]] = [[] for _ in items]
        waiting = [i for i, drafter in enumerate(drafters) if self._reads(drafter)]
        while waiting:
            self._step([drafters[i] for i in waiting], [drafted[i] for i in waiting])
            waiting = [i for i in waiting if self._goes_on(drafted[i], items[i].length)]
        return [np.array(self._in_vocabulary(tokens), dtype=np.int64) for tokens in drafted]

    def _open(self, drafters: Sequence[_DraftModelDrafter]) -> None:
        """Read the prompts of sequences that are new."""
        if drafters:
            read = self.model.prefill([drafter.prompt for drafter in drafters])
            for drafter, (handle, _) in zip(drafters, read, strict=True):
                drafter.handle = handle

    def _follow(self, drafter: _DraftModelDrafter) -> None:
        """Commit what the target has accepted of the last window; the boundary at least is read again."""
        fresh = drafter.committed[drafter.cached :]
        kept = min(agreement(drafter.pending, 0, fresh), len(fresh) - 1)
        if kept > 0:
            self.model.commit(drafter.handle, np.arange(kept))
            drafter.cached += kept
        drafter.pending = []

    def _step(self, drafters: Sequence[_DraftModelDrafter], drafted: Sequence[list[int]]) -> None:
        """One forward: a token more for each sequence."""
        windows = []
        for drafter, tokens in zip(drafters, drafted, strict=True):
            drafter.pending = []  # of a forward that fails nothing is kept
            windows.append([*drafter.committed[drafter.cached :], *tokens])
        scores = self.model.forward(
            [(d.handle, Window.chain(window)) for d, window in zip(drafters, windows, strict=True)]
        )
        for drafter, window, tokens, found in zip(drafters, windows, drafted, scores, strict=True):
            drafter.pending = window
            tokens.append(int(found.argmax[-1]))

    def _reads(self, drafter: _DraftModelDrafter) -> bool:
        """Whether the smaller model has all tokens that it would have to read."""
        return max(drafter.committed[drafter.cached :]) < self.model.vocab_size

    def _goes_on(self, tokens: Sequence[int], length: int) -> bool:
        return len(tokens) < length and tokens[-1] < self._known and tokens[-1] not in self.model.stop_ids

    def _in_vocabulary(self, tokens: list[int]) -> list[int]:
        """Tokens before the first that the target does not have."""
        unknown = next((i for i, token in enumerate(tokens) if token >= self._known), len(tokens))
        return tokens[:unknown]


def _own(item: BatchItem) -> _DraftModelDrafter:
    assert isinstance(item.drafter, _DraftModelDrafter)
    return item.drafter
