"""What is printed, asked about a correction.

The features the recogniser kept of a line say how likely each of two texts is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from galley.parsing.strategies.align import matches

WORD = re.compile(r"\S+")
LineScorer = Callable[[NDArray[np.float16], Sequence[str]], list[float]]
"""Log-likelihoods of texts given a line's features, (frames, 120): ``Recogniser.log_likelihoods``."""


class PrintedLine(Protocol):
    """A recognised line with the features it was read from and the frame of each of its characters."""

    @property
    def text(self) -> str:
        """What was read."""
        ...

    @property
    def char_frames(self) -> NDArray[np.int64] | None:
        """(len(text),) frame that each character was read at."""
        ...

    @property
    def features(self) -> NDArray[np.float16] | None:
        """(frames, channels) that the text was read from."""
        ...


class _Word(NamedTuple):
    line: int
    number: int


class PrintEvidence:
    """The lines a drafted text was made of, as evidence for or against changes of it."""

    def __init__(self, draft: str, lines: Sequence[PrintedLine], score: LineScorer) -> None:
        self._draft, self._lines, self._score = draft, lines, score
        self._spans = [[match.span() for match in WORD.finditer(line.text)] for line in lines]

    @cached_property
    def _places(self) -> dict[int, _Word]:
        """The printed word of each of the draft's; most texts are never asked for it."""
        found = [
            _Word(line, number) for line, spans in enumerate(self._spans) for number in range(len(spans))
        ]
        texts = [word for line in self._lines for word in WORD.findall(line.text)]
        return {
            same.a + step: found[same.b + step]
            for same in matches(WORD.findall(self._draft), texts)
            for step in range(same.size)
        }

    def log_ratio(self, first: int, last: int, after: str) -> float:
        """Log of how much likelier the printed line is with ``after`` than with the draft's words.

        The words are ``first`` to ``last - 1``. -inf where they are not neighbours on one line or one of the two texts
        cannot be read there.
        """
        places = [self._places.get(number) for number in range(first, last)]
        if not places or places[0] is None:
            return -math.inf
        line, number = places[0]
        if any(place != (line, number + step) for step, place in enumerate(places)):
            return -math.inf
        printed, spans = self._lines[line], self._spans[line]
        if printed.features is None or printed.char_frames is None:
            return -math.inf
        # The word on either side comes along, so that no letter is cut; more of a long line says no more.
        left = spans[max(number - 1, 0)][0]
        right = spans[min(number + len(places), len(spans) - 1)][1]
        shown = printed.features[_frames(printed.char_frames, left, right, len(printed.features))]
        start, end = spans[number][0], spans[number + len(places) - 1][1]
        text = printed.text
        before, now = self._score(shown, [text[left:right], text[left:start] + after + text[end:right]])
        return now - before if min(before, now) > -math.inf else -math.inf


def _frames(char_frames: NDArray[np.int64], left: int, right: int, frames: int) -> slice:
    """The frames of the characters ``left`` to ``right - 1`` of a line, and those up to the characters around them."""
    start = int(char_frames[left - 1]) if left else 0
    return slice(start, int(char_frames[right]) + 1 if right < len(char_frames) else frames)
