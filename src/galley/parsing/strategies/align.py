"""Which words of two readings of one text are the same.

By difflib and not by rapidfuzz: difflib keeps long runs of equal words whole, while a script of the fewest edits
scatters single words such as "the" over what was replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import Match, SequenceMatcher

_STRETCH = 256
"""Words compared at a time: difflib's time grows with the cube of a text that says one word over and over."""


def matches(a: Sequence[str], b: Sequence[str]) -> list[Match]:
    """Runs of equal words as (place in ``a``, place in ``b``, length), in order.

    The last one is empty and ends both, as difflib's does. Of texts up to a stretch long they are difflib's.
    """
    found: list[Match] = []
    i = j = 0
    while max(len(a) - i, len(b) - j) > _STRETCH:
        step = _matches(a[i : i + _STRETCH], b[j : j + _STRETCH])
        # What follows the stretch may change what its second half is like.
        kept = [one for one in step if one.size and max(one.a, one.b) < _STRETCH // 2]
        found += [Match(i + one.a, j + one.b, one.size) for one in kept]
        i = min(len(a), i + (kept[-1].a + kept[-1].size if kept else _STRETCH // 2))
        j = min(len(b), j + (kept[-1].b + kept[-1].size if kept else _STRETCH // 2))
    return found + [Match(i + one.a, j + one.b, one.size) for one in _matches(a[i:], b[j:])]


def _matches(a: Sequence[str], b: Sequence[str]) -> list[Match]:
    return SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
