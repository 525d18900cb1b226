"""What one sequence asks of one forward: tokens behind its cached past, and which of them sees which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Window:
    """``n`` slots that follow a sequence's cached tokens in one forward.

    Every slot sees the whole cache. Within the window slot ``i`` sees slot ``j`` where ``sees[i, j]``.

    Attributes:
        tokens: (n,) int64 token ids.
        depths: (n,) int64; a slot's position is ``cached length + depth``. Siblings of a tree share a depth.
        sees: (n, n) bool, true on the diagonal.
        parents: (n,) int64, the slot before this one on its path; -1 for roots and slots of drafting blocks.
        causal: whether ``sees`` is the plain lower triangle, so that a target may take its fast path.
    """

    tokens: Ids
    depths: Ids
    sees: NDArray[np.bool_]
    parents: Ids
    causal: bool = False

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def children(self) -> list[list[int]]:
        """Child slots of each slot, in slot order."""
        found: list[list[int]] = [[] for _ in range(len(self))]
        for slot, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(slot)
        return found

    @classmethod
    def chain(cls, tokens: Sequence[int] | Ids) -> Window:
        """Tokens one after the other, token-causal."""
        ids = np.asarray(tokens, dtype=np.int64)
        n = len(ids)
        return cls(ids, np.arange(n), np.tri(n, dtype=bool), np.arange(n) - 1, causal=True)

    @classmethod
    def tree(cls, tokens: Sequence[int] | Ids, parents: Sequence[int] | Ids) -> Window:
        """A prefix tree; a slot sees itself and its ancestors (HSD, section 3: prefix-tree batching).

        Args:
            tokens: (n,) token ids.
            parents: (n,) slot before each; ``parents[i] < i``, -1 for roots.

        Raises:
            ValueError: a parent does not come before its child.
        """
        ids = np.asarray(tokens, dtype=np.int64)
        up = np.asarray(parents, dtype=np.int64)
        n = len(ids)
        if (up == np.arange(n) - 1).all():
            return cls.chain(ids)
        depths = np.zeros(n, dtype=np.int64)
        sees = np.eye(n, dtype=bool)
        for slot, parent in enumerate(up):
            if not -1 <= parent < slot:
                raise ValueError(f"slot {slot} has parent {parent}; a parent comes before its child")
            if parent >= 0:
                depths[slot] = depths[parent] + 1
                sees[slot] |= sees[parent]
        return cls(ids, depths, sees, up)

    @classmethod
    def drafting(cls, boundary: int, mask_id: int, block_size: int) -> Window:
        """``[x0, M × block_size]``: x0 is causal, every mask sees x0 and all masks (GravityOCR, section 3)."""
        return cls.chain([boundary]).with_blocks([(0, [mask_id] * block_size)])

    def with_blocks(self, blocks: Sequence[tuple[int, Sequence[int] | Ids]]) -> Window:
        """This window followed by drafting blocks: one forward verifies a tree and drafts what may follow.

        Nothing outside a block sees it, so the causal slots are what they would be without it.

        Args:
            blocks: ``(anchor, ids)`` each. The block's slots, masks or tokens already filled in, stand right
                behind slot ``anchor``. They see the anchor, its ancestors and the whole of their own block.
        """
        window = self
        for anchor, ids in blocks:
            window = window._with_block(anchor, np.asarray(ids, dtype=np.int64))
        return window

    def _with_block(self, anchor: int, ids: Ids) -> Window:
        old, new = len(self), len(ids)
        if new == 0:
            return self
        sees = np.zeros((old + new, old + new), dtype=bool)
        sees[:old, :old] = self.sees
        sees[old:, :old] = self.sees[anchor]
        sees[old:, old:] = True
        return Window(
            np.concatenate([self.tokens, ids]),
            np.concatenate([self.depths, self.depths[anchor] + 1 + np.arange(new)]),
            sees,
            np.concatenate([self.parents, np.full(new, -1, dtype=np.int64)]),
        )
