"""A way of drafting of one's own: guess that the text goes on as the OCR does at the same place.

    python examples/custom_drafter.py samples/letter.jpg

The text is that of every other way of drafting; only the number of forward passes differs.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import galley
from galley.decoding import DRAFTERS, Drafter, DraftPool, DraftWindow, Source
from galley.decoding.drafters import DecoderContext
from galley.decoding.tree import Draft, PrefixTree, geometric


class SamePlaceDrafter(Drafter):
    """Drafts for one sequence."""

    def __init__(self, pool: DraftPool, length: int) -> None:
        self.pool = pool
        self.length = length

    def draft(self, batch_draft: np.ndarray | None = None) -> DraftWindow:
        """One chain: the tokens of the first free draft from the place on that the text has reached."""
        tree = PrefixTree(self.committed[-1])
        reached, most = len(self.committed), min(self.length, self.max_draft)
        guesses = self.pool[0][reached : reached + most] if len(self.pool) else []
        if len(guesses):
            tokens = np.array(guesses, dtype=np.int64)
            tree.add(Draft(tokens, geometric(0.9, len(tokens)), Source(SamePlace.name, draft=0)))
        return DraftWindow(tree)


@dataclass(frozen=True)
class SamePlace:
    """Settings of this way of drafting: the most tokens of a draft."""

    length: int = 16
    name: ClassVar[str] = "same-place"
    summary: ClassVar[str] = "the first free draft, at the place the text has reached"
    needs_costs: ClassVar[bool] = False

    def unsupported(self, target: Any) -> str | None:
        """Works with every model."""
        return None

    def start(
        self, context: DecoderContext, pool: DraftPool, prompt_ids: Sequence[int], prompt: Any = None
    ) -> Drafter:
        """A drafter for one sequence."""
        return SamePlaceDrafter(pool, self.length)


DRAFTERS[SamePlace.name] = SamePlace  # from here on a name like any other, in options and elsewhere

texts = {}
for name in ("ar", "same-place"):
    document = galley.parse(sys.argv[1], decode=name)
    work = [page.work for page in document.pages if page.work is not None]
    texts[name] = document.to_markdown()
    print(f"{name}: {sum(w.tokens for w in work)} tokens in {sum(w.forwards for w in work)} forward passes")
print("same text" if texts["ar"] == texts["same-place"] else "different text")
