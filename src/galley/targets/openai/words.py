"""Texts of servers as ids of words, so that an answer can be compared with drafts."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable

_LONE = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts written without spaces: each sign is a token."""
_TOKEN = re.compile(rf"\s+|[{_LONE}]|[^\W{_LONE}]+|[^\w\s]")
_SIZE = 1 << 18


class Words:
    """Numbers words from 1; 0 is no word.

    The table keeps at least the last ``size`` words and at most twice as many, so it stays bounded however
    many new words come. A number is used again only after three times as many words.
    """

    def __init__(self, size: int = _SIZE) -> None:
        self._size = size
        self._next = 0
        self._numbers: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._older: dict[int, str] = {}
        self._lock = threading.Lock()

    @property
    def limit(self) -> int:
        """One more than the largest number."""
        return 4 * self._size + 1

    def encode(self, text: str) -> list[int]:
        """The numbers of a text's words, punctuation and white space included."""
        with self._lock:
            return [self._number(word) for word in _TOKEN.findall(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of words' numbers."""
        with self._lock:
            return "".join(self._texts.get(number) or self._older.get(number, "") for number in ids)

    def _number(self, word: str) -> int:
        known = self._numbers.get(word)
        if known is not None:
            return known
        if len(self._texts) == self._size:
            self._older, self._texts, self._numbers = self._texts, {}, {}
        number = self._next % (4 * self._size) + 1
        self._next += 1
        self._numbers[word], self._texts[number] = number, word
        return number
