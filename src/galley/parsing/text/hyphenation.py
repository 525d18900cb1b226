"""Joining lines into running text.

A hyphen at a line's end goes only where a dictionary or the document agrees.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files

from galley.parsing.text.hyphen_compounds import LANGUAGES, keeps_hyphen
from galley.parsing.text.language import language_of

_HYPHENS = "-‐\u00ad"
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]+)[-‐\u00ad]$")
_HEAD = re.compile(r"[^\W\d_]+")
_CHAIN = re.compile(r"[^\W\d_]{1,5}-[^\W\d_]")
_LINK = re.compile(r"[-‐](à|de|du|en|la|le|les|et|the|of|to|in|and|on|up|by)[-‐]$", re.IGNORECASE)
_NEAR = 300
"""Characters before a line's end that tell its language."""
_SUSPENDED = {
    *("and", "or", "to"),  # English
    *("und", "oder", "bis", "sowie"),  # German
    *("et", "ou", "à", "y", "o", "u", "e"),  # French, Spanish, Italian, Portuguese
    *("en", "of", "och", "eller", "og"),  # Dutch, Swedish, Danish
    *("i", "lub", "a", "nebo"),  # Polish, Czech
}
"""Words before which a hyphen stands for the rest of a compound: ``mid- and long-term``."""
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


LEAST_LETTERS = 4
"""Letters of the shortest words that the list of English words holds."""


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
        self._learned = 0  # words that the language of all of them was told by
        self._whole: str | None = None
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
            return self._hyphen(tail.group(1), head.group(), before[-_NEAR:], after)
        if before[-1] in "-‐" and before[-2:-1].isalnum() and after[0].isalnum():
            return ""
        return "" if _spaceless(before[-1], after[0]) else " "

    def _hyphen(self, tail: str, head: str, before: str, after: str) -> str | None:
        if self._is_chained(tail, before, after):
            return ""
        if head in _SUSPENDED:
            return " "
        if f"{tail}-{head}".lower() in self.own:
            return ""
        language = self._language(f"{before} {after}")
        if language in LANGUAGES:
            if (tail + head).lower() in self.own and head.islower():
                return None
            # Their words are not listed; but they are divided far oftener than they are compounds of two.
            kept = not (head.islower() or (tail + head).isupper()) or keeps_hyphen(tail, head, language)
            return "" if kept else None
        if (head.islower() or (tail + head).isupper()) and tail + head in self:
            return None
        # Half a word is no word, in whatever language; both parts of a compound are.
        return None if head.islower() and (self._is_fragment(tail) or self._is_fragment(head)) else ""

    def _language(self, text: str) -> str | None:
        """The language of the text around a line's end, or else that of all that is known."""
        near = language_of([match.group().lower() for match in _WORD.finditer(text)])
        if near is None and self._learned != len(self.own):
            self._learned, self._whole = len(self.own), language_of(self.own)
        return near or self._whole

    def _is_chained(self, tail: str, before: str, after: str) -> bool:
        """Whether a compound of more than two words goes on in the next line: ``state-`` ``of-the-art``."""
        return bool(_LINK.search(before)) or (
            (len(tail) < LEAST_LETTERS or tail in self) and bool(_CHAIN.match(after))
        )

    def _is_fragment(self, part: str) -> bool:
        """Whether part of a broken word is no word itself; of short ones that cannot be said."""
        return len(part) >= LEAST_LETTERS and part not in self


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
