"""What the trace of a decoded text says about a part of it.

How sure the model was and which drafts bear it out.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from galley.decoding import Committed
from galley.targets.prompt import TextReader

UNSURE = 0.8
"""Below this mean probability a text is marked; as for drafts."""
_BORNE_OUT = 0.2


@dataclass(frozen=True)
class Evidence:
    """What speaks for the text that a model wrote.

    Attributes:
        confidence: The model's mean probability (geometric), 0 to 1; None where it was not recorded.
        supported: Share of tokens that a free draft gave.
        drafts: How many each draft gave, by its number in the pool, the most generous first.
    """

    confidence: float | None
    supported: float
    drafts: dict[int, int]

    @property
    def flags(self) -> list[str]:
        """What a reader should know of the text.

        ``low-confidence`` where the model was unsure, ``unsupported`` where no draft bears it out either.
        """
        if self.confidence is None or self.confidence >= UNSURE:
            return []
        return ["low-confidence"] + (["unsupported"] if self.supported < _BORNE_OUT else [])


def weigh(trace: Sequence[Committed]) -> Evidence:
    """Evidence of a run of committed tokens."""
    known = [entry.confidence for entry in trace if entry.confidence is not None]
    confidence = min(1.0, math.exp(sum(known) / len(known))) if known else None
    gave = Counter(entry.source.draft for entry in trace if entry.source.draft is not None)
    supported = sum(gave.values()) / len(trace) if trace else 0.0
    return Evidence(confidence, supported, dict(gave.most_common()))


class TokenPlaces:
    """Where the tokens of a text stand in its decoded characters."""

    def __init__(self, reader: TextReader, ids: Sequence[int], text: str) -> None:
        lengths = {token: len(reader.decode([token])) for token in set(ids)}
        ends: list[float] = []
        for token in ids:
            ends.append((ends[-1] if ends else 0) + lengths[token])
        # Characters cut between tokens decode to more signs one by one than together.
        scale = len(text) / ends[-1] if ends and ends[-1] else 1.0
        self._ends = [end * scale for end in ends]

    def within(self, start: int, end: int) -> slice:
        """Tokens of the characters ``start`` to ``end``."""
        first = bisect_left(self._ends, start + 0.5)
        return slice(first, max(first + 1, bisect_left(self._ends, end - 0.5) + 1))
