"""Draft against verified text, word by word: which of the model's corrections are taken.

A small verifier is right about most of what it changes and wrong about some, and what is printed tells which: the
recogniser reads with no notion of the language, the model with too much of it. A change is taken where the model's
odds of it times how much likelier the printed line is with it than with the draft (a likelihood ratio) are high
enough; elsewhere the draft stands. Nothing is added that the drafter saw no sign of, and nothing it read is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple

from galley.decoding import Result
from galley.parsing.strategies.align import matches
from galley.parsing.strategies.evidence import TokenPlaces
from galley.parsing.strategies.print_evidence import WORD
from galley.targets.prompt import TextReader

_MOST_WORDS = 4
"""Words that one correction may replace; longer differences are two readings, not a correction."""
_LONGEST = 256
"""Characters that one correction may replace: a word without end is comparing without end."""
_ALIKE = 0.5
"""Least similarity of a correction to what it replaces."""
_STYLES = str.maketrans("‘’‚‛′“”„‟″‐‑–—―−", "'" * 5 + '"' * 5 + "-" * 6)
"""Quotation marks and dashes to the plain ones."""
_SUREST = 0.999
"""No model is surer than that: one token's softmax is not evidence without end."""


class SureWord(NamedTuple):
    """A word of the model's and the probability of its least sure token."""

    text: str
    probability: float


def sure_words(result: Result, reader: TextReader) -> list[SureWord]:
    """The words of a decoded text with how sure the model was of each; not at all where that is not known."""
    text = reader.decode(result.ids)
    places = TokenPlaces(reader, result.ids, text)
    words = []
    for match in WORD.finditer(text):
        entries = result.trace[places.within(match.start(), match.end())]
        sure = [-math.inf if entry.confidence is None else entry.confidence for entry in entries]
        least = min(sure, default=-math.inf)
        words.append(SureWord(match.group(), math.exp(min(0.0, least))))
    return words


@dataclass
class Reconciled:
    """A draft compared with what the model wrote.

    Attributes:
        text: The draft with the corrections taken.
        taken: Differences as (draft, model) that were corrected.
        doubted: Differences as (draft, model) that were left as drafted.
    """

    text: str
    taken: list[tuple[str, str]] = field(default_factory=list)
    doubted: list[tuple[str, str]] = field(default_factory=list)


def reconcile(
    draft: str, words: Sequence[SureWord], log_ratio: Callable[[int, int, str], float], least: float
) -> Reconciled:
    """The draft with the model's corrections whose log-odds are at least ``least``.

    The log-odds are the model's own, of its least sure word, plus ``log_ratio`` of (first draft word, the one after
    the last, correction), which says how much better the correction fits what is printed. White space is the draft's.
    """
    spans = [match.span() for match in WORD.finditer(draft)]
    drafted = [draft[start:end] for start, end in spans]
    found = Reconciled("")
    parts, at = [], 0
    for i1, i2, j1, j2 in _differences(drafted, [word.text for word in words]):
        before = draft[spans[i1][0] : spans[i2 - 1][1]] if i2 > i1 else ""
        after = " ".join(word.text for word in words[j1:j2])
        # What is printed is asked last: it takes longest to answer.
        if not _is_correction(before, after) or _log_odds(words[j1:j2]) + log_ratio(i1, i2, after) < least:
            found.doubted.append((before, after))
            continue
        found.taken.append((before, after))
        parts += [draft[at : spans[i1][0]], after]
        at = spans[i2 - 1][1]
    found.text = "".join([*parts, draft[at:]])
    return found


def _differences(a: Sequence[str], b: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """The ranges between equal words, first and one after the last of ``a`` and of ``b``."""
    i = j = 0
    for same in matches(a, b):
        if same.a > i or same.b > j:
            yield i, same.a, j, same.b
        i, j = same.a + same.size, same.b + same.size


def _is_correction(before: str, after: str) -> bool:
    """Whether language has a say in the change: it has none in which of two quotation marks or dashes is printed."""
    if not before or not after or max(len(before), len(after)) > _LONGEST:
        return False
    if max(len(before.split()), len(after.split())) > _MOST_WORDS:
        return False
    if before.translate(_STYLES) == after.translate(_STYLES):
        return False
    if _figures(before) and _figures(before) == _figures(after):
        return False
    return SequenceMatcher(None, before, after, autojunk=False).ratio() >= _ALIKE


def _figures(text: str) -> str:
    """The digits, where there are no letters: language has no say in how 32.14 is punctuated."""
    return "" if any(map(str.isalpha, text)) else "".join(filter(str.isdigit, text))


def _log_odds(words: Sequence[SureWord]) -> float:
    least = min(max(min(word.probability for word in words), 1 - _SUREST), _SUREST)
    return math.log(least / (1 - least))
