"""Joining lines into running text.

A hyphen at a line's end goes only where a dictionary or the document agrees.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files

_HYPHENS = "-‐\u00ad"
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]+)[-‐\u00ad]$")
_HEAD = re.compile(r"[^\W\d_]+")
_QUOTES = "“”‘’…—"
# Scripts written without spaces between words.
EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef]")
_FIRST = re.compile(rf"\s*({EAST_ASIAN.pattern}|[^\s{EAST_ASIAN.pattern[1:-1]}]+)")


def first_word(text: str) -> str:
    """What a line cannot begin with less of: its first word, or its first East Asian character."""
    match = _FIRST.match(text)
    return match.group(1) if match else ""


def text_width(text: str) -> int:
    """Length of a text in Latin characters; East Asian ones are twice as wide and say twice as much."""
    return len(text) + len(EAST_ASIAN.findall(text))


@lru_cache
def english() -> frozenset[str]:
    """Lower-case English words of four letters or more."""
    packed = files("galley.parsing.text").joinpath("data/english.txt.gz").read_bytes()
    return frozenset(gzip.decompress(packed).decode().split("\n"))


class Vocabulary:
    """Words known to be words.

    English, and those ``texts`` (lines of the document) hold away from line ends.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.own: set[str] = set()
        for text in texts:
            self.learn(text)

    def learn(self, text: str) -> None:
        """Add the words of one line.

        A last one that may be half a word is left out, and a first one that may be its rest.
        """
        words = [match.group().lower() for match in _WORD.finditer(text)]
        if text and text[-1] in _HYPHENS:
            words = words[:-1]
        self.own.update(words[1:])

    def __contains__(self, word: str) -> bool:
        word = word.lower()
        return word in self.own or word in english()

    def joint(self, before: str, after: str) -> str | None:
        """What stands between two lines of one paragraph.

        A space, nothing, or None = nothing, and the hyphen goes.
        """
        if not before or not after:
            return ""
        if before[-1] == "\u00ad":
            return None
        tail, head = _TAIL.search(before), _HEAD.match(after)
        if tail and head:
            return self._hyphen(tail.group(1), head.group())
        if before[-1] in "-‐" and before[-2:-1].isalnum() and after[0].isalnum():
            return ""
        return "" if _spaceless(before[-1], after[0]) else " "

    def _hyphen(self, tail: str, head: str) -> str | None:
        if f"{tail}-{head}".lower() in self.own:
            return ""
        if (head.islower() or (tail + head).isupper()) and tail + head in self:
            return None
        return ""


def _spaceless(last: str, first: str) -> bool:
    """Whether no space belongs between two lines that end and begin so.

    One is East Asian, and the other too, or a quotation mark, which Chinese shares with Latin.
    """
    known = [bool(EAST_ASIAN.match(char)) for char in (last, first)]
    return any(known) and all(
        is_asian or char in _QUOTES for is_asian, char in zip(known, (last, first), strict=True)
    )


def join_lines(texts: Sequence[str], words: Vocabulary) -> str:
    """Lines of one paragraph as running text."""
    joined = ""
    for text in texts:
        text = text.strip()
        joint = words.joint(joined, text)
        joined = joined[:-1] + text if joint is None else joined + joint + text
    return joined.replace("\u00ad", "")
