"""Words of a right-to-left line from their places on the page to the order they are read in.

The part of the Unicode Bidirectional Algorithm (UAX 9, rules I1 and L2) that concerns whole words: in a line of
Hebrew or Arabic, words run from right to left, and runs of Latin words and numbers from left to right within it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import groupby

from galley.ingest.page import TextWord

_RIGHT_TO_LEFT = ("R", "AL")
_LEFT_TO_RIGHT = ("L", "EN", "AN")


def in_reading_order(words: Sequence[TextWord]) -> list[TextWord]:
    """The words of one line, given from left to right, in reading order.

    Reversed where no more of them are written to the right than to the left. Numbers are written alike in both.
    """
    kinds = [_kind(word.text) for word in words]
    leftward = sum(kind < 0 for kind in kinds)
    lettered = sum(any(map(str.isalpha, word.text)) for word in words)
    if not leftward or 2 * leftward < lettered:
        return list(words)
    ordered: list[TextWord] = []
    for forward, run in groupby(zip(words, kinds, strict=True), key=lambda pair: pair[1] > 0):
        found = [word for word, _ in run]
        ordered[:0] = found if forward else found[::-1]
    return ordered


def _kind(text: str) -> int:
    """Letters and digits that run to the right less those that run to the left."""
    directions = [unicodedata.bidirectional(char) for char in text]
    leftward = sum(direction in _RIGHT_TO_LEFT for direction in directions)
    return -leftward if leftward else sum(direction in _LEFT_TO_RIGHT for direction in directions)
