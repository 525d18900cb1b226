"""Styles and links of a draft kept for a text that a model has read anew."""

from __future__ import annotations

import re
from collections.abc import Sequence

from galley.document import Span
from galley.document.spans import merged
from galley.parsing.strategies.align import matches

_WORD = re.compile(r"\S+")


def carried_spans(spans: Sequence[Span], before: str, after: str) -> list[Span]:
    """The spans of a text for another reading of it.

    Words that both readings have keep what they had, and so does what stands between two words of one span. The rest of
    the new text is plain. Boxes stay those of the whole span.

    Args:
        spans: Of the text before.
        before: The text they belong to.
        after: The text as it was read anew.
    """
    if not spans or before == after:
        return list(spans)
    old, new = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    owners = _owners(spans, len(before))
    found: list[int | None] = [None] * len(after)
    known = [False] * len(after)
    for same in matches([word.group() for word in old], [word.group() for word in new]):
        for step in range(same.size):
            a, b = old[same.a + step], new[same.b + step]
            found[b.start() : b.end()] = owners[a.start() : a.end()]
            known[b.start() : b.end()] = [True] * len(b.group())
    return _spans(spans, _filled(found, known))


def _owners(spans: Sequence[Span], length: int) -> list[int | None]:
    owners: list[int | None] = [None] * length
    for number, span in enumerate(spans):
        owners[span.start : span.end] = [number] * (span.end - span.start)
    return owners


def _filled(owners: list[int | None], known: Sequence[bool]) -> list[int | None]:
    """What stands between two characters of one span belongs to it."""
    filled = list(owners)
    last: int | None = None
    gap: list[int] = []
    for place, owner in enumerate(owners):
        if not known[place]:
            gap.append(place)
            continue
        for at in gap if owner == last else ():
            filled[at] = owner
        last, gap = owner, []
    return filled


def _spans(spans: Sequence[Span], owners: Sequence[int | None]) -> list[Span]:
    found: list[Span] = []
    start = 0
    for place in range(1, len(owners) + 1):
        if place == len(owners) or owners[place] != owners[start]:
            owner = owners[start]
            if owner is not None:
                found.append(spans[owner].model_copy(update={"start": start, "end": place}))
            start = place
    return merged(found)
