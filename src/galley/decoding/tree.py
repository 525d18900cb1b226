"""Drafts, and the prefix tree that many of them share (HSD, section 3: prefix-tree batching)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from galley.decoding.window import Ids, Window


class Source(NamedTuple):
    """Where a token comes from.

    Attributes:
        kind: the way of drafting, by the names of ``galley.decoding.drafters`` (``match`` is a free draft), or
            ``model`` (its free prediction, drafted by nothing).
        draft: number of the free draft in its pool; else None.
    """

    kind: str
    draft: int | None = None


MODEL = Source("model")
SELF_DRAFT = Source("self-spec")
"""the model's own block-diffusion draft"""


@dataclass(frozen=True, eq=False)
class Draft:
    """Tokens that may follow the boundary.

    Attributes:
        tokens: (k,) int64.
        odds: (k,) non-increasing, the estimated probability that the model writes the draft up to and including
            each token. They steer budgets and never what is accepted.
        source: where the tokens come from.
    """

    tokens: Ids
    odds: NDArray[np.float64]
    source: Source

    def __len__(self) -> int:
        return len(self.tokens)


def geometric(rate: float, length: int) -> NDArray[np.float64]:
    """Odds of a draft each of whose tokens is accepted with the same probability: rate, rate^2, ..."""
    return np.power(rate, np.arange(1, length + 1), dtype=np.float64)


class PrefixTree:
    """Drafts merged where they begin alike. Node 0 is the boundary; parents come before their children."""

    def __init__(self, boundary: int) -> None:
        self.tokens = [boundary]
        self.parents = [-1]
        self.odds = [1.0]
        self.sources = [MODEL]
        self._child: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, draft: Draft) -> None:
        """Lay a draft into the tree. Odds of drafts that share a node add up, to at most 1."""
        node = 0
        for token, odds in zip(draft.tokens.tolist(), draft.odds.tolist(), strict=True):
            child = self._child.get((node, token))
            if child is None:
                child = self._grow(node, token, odds, draft.source)
            else:
                self.odds[child] = min(1.0, self.odds[child] + odds)
            node = child

    def likeliest(self, count: int) -> PrefixTree:
        """The ``count`` nodes with the best odds, the boundary among them.

        A node's odds are at most its parent's, so what is kept is a tree.
        """
        if count >= len(self):
            return self
        best = np.argsort(-np.asarray(self.odds), kind="stable")[: max(count, 1)]
        pruned = PrefixTree(self.tokens[0])
        place = {0: 0}
        for node in sorted(best.tolist()):
            if node:
                parent = place[self.parents[node]]
                place[node] = pruned._grow(parent, self.tokens[node], self.odds[node], self.sources[node])
        return pruned

    def ending_odds(self) -> NDArray[np.float64]:
        """(n,) estimated probability that acceptance stops right at each node."""
        ending = np.asarray(self.odds)
        np.subtract.at(ending, self.parents[1:], self.odds[1:])
        return np.maximum(ending, 0.0)

    def window(self) -> Window:
        """The tree as a window."""
        return Window.tree(self.tokens, self.parents)

    def _grow(self, parent: int, token: int, odds: float, source: Source) -> int:
        node = len(self.tokens)
        self.tokens.append(token)
        self.parents.append(parent)
        self.odds.append(odds)
        self.sources.append(source)
        self._child[parent, token] = node
        return node
