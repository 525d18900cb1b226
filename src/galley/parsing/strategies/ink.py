"""What is printed, asked about a correction: the features the recogniser kept of a line say how likely each of two
texts is."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

WORD = re.compile(r"\S+")
Spell = Callable[[NDArray[np.float16], Sequence[str]], list[float]]
"""Log-likelihoods of texts given a line's features, (frames, 120): ``Recogniser.log_likelihoods``."""


class Printed(Protocol):
    """A recognised line with the features it was read from."""

    @property
    def text(self) -> str: ...

    @property
    def features(self) -> NDArray[np.float16] | None: ...


class _Word(NamedTuple):
    line: int
    start: int
    end: int


class Ink:
    """The lines a drafted text was made of, as evidence for or against changes of it."""

    def __init__(self, draft: str, lines: Sequence[Printed], spell: Spell) -> None:
        self._lines, self._spell = lines, spell
        found = [
            (match.group(), _Word(number, *match.span()))
            for number, line in enumerate(lines)
            for match in WORD.finditer(line.text)
        ]
        matcher = SequenceMatcher(None, WORD.findall(draft), [text for text, _ in found], autojunk=False)
        self._places = {
            block.a + step: found[block.b + step][1]
            for block in matcher.get_matching_blocks()
            for step in range(block.size)
        }

    def log_ratio(self, first: int, last: int, after: str) -> float:
        """Log of how much likelier the printed line is with ``after`` than with the draft's words ``first`` to
        ``last - 1``. -inf where they are not words of one line or ``after`` cannot be read there."""
        places = [self._places.get(number) for number in range(first, last)]
        if not places or places[0] is None or places[-1] is None:
            return -math.inf
        line, start = places[0].line, places[0].start
        if any(place is None or place.line != line for place in places):
            return -math.inf
        printed = self._lines[line]
        if printed.features is None:
            return -math.inf
        changed = printed.text[:start] + after + printed.text[places[-1].end :]
        before, now = self._spell(printed.features, [printed.text, changed])
        return now - before if now > -math.inf else -math.inf
