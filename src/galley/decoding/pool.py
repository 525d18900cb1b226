"""An unordered pool of drafts that can be searched for text, and that may grow while decoding runs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

TokenKey = Callable[[int], str]
"""What a token is compared by: equal keys match, ``""`` is skipped. ``chr`` compares ids as they are; a
caller with a tokenizer gives the token's text without punctuation, width and white space, so that these
differences between drafter and model do not hide a match."""


def in_vocabulary(draft: Sequence[int], vocab_size: int) -> list[int]:
    """The ids that a model has a token for; wrong ids in a draft must not end a text."""
    return [int(token) for token in draft if 0 <= token < vocab_size]


class DraftPosition(NamedTuple):
    """A place in a draft.

    Attributes:
        draft: number of the draft.
        position: index of the token that would come next.
    """

    draft: int
    position: int


class _Draft:
    """One draft as tokens and as searchable text; ``starts[i]`` is where token ``i`` begins in the text.

    ``edition`` counts how often the draft was replaced.
    """

    def __init__(self, edition: int = 0) -> None:
        self.edition = edition
        self.tokens: list[int] = []
        self.starts: list[int] = []
        self.text = ""
        self.ids = ""

    def extend(self, tokens: Sequence[int], keys: Sequence[str]) -> None:
        offset = len(self.text)
        for key in keys:
            self.starts.append(offset)
            offset += len(key)
        self.tokens.extend(tokens)
        self.text += "".join(keys)
        self.ids += "".join(map(chr, tokens))

    def searchable(self, by_key: bool) -> str:
        """What is searched: the text of the keys, or the ids as characters."""
        return self.text if by_key else self.ids

    def after(self, offset: int, skipped: int) -> int | None:
        """Index of the token that follows text ending at ``offset``; None inside a token.

        Args:
            offset: Characters of the draft's text.
            skipped: How many key-less tokens the context ends with; as many are passed over here.
        """
        index = bisect_left(self.starts, offset)
        if offset < len(self.text) and self.starts[index : index + 1] != [offset]:
            return None
        last = bisect_left(self.starts, offset + 1)
        if offset < len(self.text):
            last -= 1  # the last token that starts at this offset has a key
        return min(index + skipped, last)


class DraftPool:
    """Drafts as token ids. ``add``, ``extend`` and ``replace`` may be called while sequences match against the pool.

    A pool may serve several requests, so that a page can match what its regions are still writing, as the public
    HSD code does.
    """

    def __init__(self, drafts: Iterable[Sequence[int]] = (), key: TokenKey = chr) -> None:
        self._key = key
        self._keys: dict[int, str] = {}
        self._drafts: list[_Draft] = []
        for draft in drafts:
            self.add(draft)

    def __len__(self) -> int:
        return len(self._drafts)

    def __getitem__(self, draft: int) -> list[int]:
        return self._drafts[draft].tokens

    def add(self, tokens: Sequence[int] = ()) -> int:
        """Put a draft into the pool; returns its number."""
        self._drafts.append(_Draft())
        self.extend(len(self._drafts) - 1, tokens)
        return len(self._drafts) - 1

    def extend(self, draft: int, tokens: Sequence[int]) -> None:
        """Append tokens to a draft that is still being written."""
        ids = [int(token) for token in tokens]
        self._drafts[draft].extend(ids, [self.key(token) for token in ids])

    def replace(self, draft: int, tokens: Sequence[int]) -> None:
        """Withdraw what a draft holds and offer ``tokens`` in its place, under the same number.

        This is for a draft whose region failed or ran into a loop. Nothing matches the withdrawn tokens any more, and
        ``edition`` tells a sequence that followed them.
        """
        self._drafts[draft] = _Draft(self._drafts[draft].edition + 1)
        self.extend(draft, tokens)

    def edition(self, draft: int) -> int:
        """How often a draft was replaced."""
        return self._drafts[draft].edition

    def key(self, token: int) -> str:
        """What a token is compared by."""
        known = self._keys.get(token)
        if known is None:
            known = self._keys[token] = self._key(token)
        return known

    def same(self, left: Sequence[int], right: Sequence[int], by_key: bool = True) -> bool:
        """Whether two runs of tokens have the same text, or the same ids where not ``by_key``."""
        if not by_key:
            return list(left) == list(right)
        return "".join(map(self.key, left)) == "".join(map(self.key, right))

    def count(self, unit: Sequence[int]) -> int:
        """How often a run of tokens occurs in all drafts, by id or by key, whichever is more often."""
        ids, text = "".join(map(chr, unit)), "".join(map(self.key, unit))
        return max(
            sum(draft.ids.count(ids) for draft in self._drafts),
            sum(draft.text.count(text) for draft in self._drafts) if text else 0,
        )

    def find(
        self, context: Sequence[int], shortest: int, longest: int, by_key: bool = True
    ) -> list[DraftPosition]:
        """Every place where the end of ``context`` occurs and something follows.

        The window starts at ``shortest`` tokens and grows while several places match. Where the next growth
        leaves none, the places before it are returned (the growing window of the public HSD code). Tokens without
        a key do not count.

        Args:
            context: committed tokens.
            shortest: least tokens that must match.
            longest: most tokens that are compared.
            by_key: compare keys; else ids.
        """
        keys, skipped = self._recent_keys(context, max(longest, shortest), by_key)
        if len(keys) < shortest:
            return []
        needle = "".join(keys[-shortest:])
        texts = [draft.searchable(by_key) for draft in self._drafts]
        places = [(d, end) for d, text in enumerate(texts) for end in _ends(text, needle)]
        found = self._positions(places, skipped, by_key)
        for size in range(shortest + 1, len(keys) + 1):
            if len(found) < 2:
                break
            needle = keys[-size] + needle
            places = [(d, end) for d, end in places if texts[d].endswith(needle, 0, end)]
            narrowed = self._positions(places, skipped, by_key)
            if not narrowed:
                break
            found = narrowed
        return found

    def _recent_keys(self, context: Sequence[int], longest: int, by_key: bool) -> tuple[list[str], int]:
        """Keys of the last ``longest`` tokens that have one, and the number of key-less tokens at the end."""
        if not by_key:
            return [chr(token) for token in context[-longest:]], 0
        keys: list[str] = []
        skipped = 0
        for token in reversed(context):
            if key := self.key(token):
                keys.append(key)
                if len(keys) == longest:
                    break
            elif not keys:
                skipped += 1
        return keys[::-1], skipped

    def _positions(
        self, places: Sequence[tuple[int, int]], skipped: int, by_key: bool
    ) -> list[DraftPosition]:
        """Positions behind places in the searched text; those inside a token, or with nothing behind, left out."""
        found = []
        for number, end in places:
            draft = self._drafts[number]
            position = draft.after(end, skipped) if by_key else end
            if position is not None and position < len(draft.tokens):
                found.append(DraftPosition(number, position))
        return found


def _ends(text: str, needle: str) -> Iterator[int]:
    """Offsets right after each occurrence, overlapping ones included."""
    start = text.find(needle)
    while start >= 0:
        yield start + len(needle)
        start = text.find(needle, start + 1)
