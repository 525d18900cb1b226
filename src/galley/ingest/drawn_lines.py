"""Lines drawn under or through words: underlines and strike-throughs among a page's rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from galley.document.spans import Style
from galley.ingest.pdf_glyphs import ASCENT, DESCENT, Glyphs

# In type sizes of the text:
THICKEST = 0.16
"""A thicker rule is a bar."""
SHORTEST = 0.25
"""A shorter rule is a dash."""
UNDER = (-0.36, -0.01)
"""Where an underline stands, from the baseline upwards: from TeX's, below the descenders, to those that touch it."""
THROUGH = (0.12, 0.48)
"""Where a strike-through stands: from that of small letters in a large line to the middle of capitals."""
OVERHANG = 0.45
"""How far a line may end from the edge of the words it belongs to: a space is underlined with them."""
SKIPPED = 0.6
"""The gap that browsers leave in an underline for a descender."""
# Ratios:
FILLED = 0.55
"""Share of a line's length that letters stand over: a blank to be filled in has few."""
_DESCENDING = frozenset("gjpqyQJßþçğ")


def ruled_characters(
    glyphs: Glyphs, spans: Sequence[Sequence[int]], rules: NDArray[np.float64]
) -> dict[Style, NDArray[np.bool_]]:
    """Which characters have a line under or through them.

    Args:
        glyphs: ``n`` characters of a page.
        spans: indices of the characters of each word.
        rules: (m, 4) boxes of the lines drawn on it, in the same pixels.

    Returns:
        For underlines and strike-throughs, (n,) whether each character has one; empty where nothing is.
    """
    letters = np.array([i for span in spans for i in span if abs(glyphs.runs[i].angle) < 1.0], dtype=np.int64)
    if not len(letters) or not len(rules):
        return {}
    page = _Letters(glyphs, letters)
    words = {index: span for span in spans for index in span}
    found: dict[Style, NDArray[np.bool_]] = {}
    for rule in _level_rules(rules, float(np.median(page.size))):
        for style, (low, high) in ((Style.UNDERLINE, UNDER), (Style.STRIKE, THROUGH)):
            covered = page.covered(rule, low, high, words, glyphs.chars)
            if covered:
                marked = found.setdefault(style, np.zeros(len(glyphs.chars), dtype=bool))
                marked[covered] = True
    return found


def _level_rules(rules: NDArray[np.float64], size: float) -> NDArray[np.float64]:
    """(k, 4) thin horizontal rules; pieces that follow each other at one height are one."""
    heights = rules[:, 3] - rules[:, 1]
    level = rules[(heights <= THICKEST * 2.5 * size) & (rules[:, 2] - rules[:, 0] > heights)]
    order = np.lexsort((level[:, 0], np.round(level[:, 1], 1)))
    whole: list[NDArray[np.float64]] = []
    for rule in level[order]:
        last = whole[-1] if whole else None
        same = last is not None and abs(last[1] - rule[1]) < 0.6 and abs(last[3] - rule[3]) < 0.6
        if same and last is not None and rule[0] - last[2] < SKIPPED * size:
            last[2] = max(last[2], rule[2])
        else:
            whole.append(rule.copy())
    return np.array(whole).reshape(-1, 4)


class _Letters:
    """The letters of a page's horizontal text and where they stand, in pixels."""

    def __init__(self, glyphs: Glyphs, letters: NDArray[np.int64]) -> None:
        boxes = glyphs.boxes[letters].astype(np.float64)
        self.letters = letters
        self.left, self.right = boxes[:, 0], boxes[:, 2]
        self.middle = (self.left + self.right) / 2
        self.size = np.maximum((boxes[:, 3] - boxes[:, 1]) / (ASCENT + DESCENT), 1.0)
        self.base = boxes[:, 3] - DESCENT * self.size

    def covered(
        self,
        rule: NDArray[np.float64],
        low: float,
        high: float,
        words: dict[int, Sequence[int]],
        chars: Sequence[str],
    ) -> list[int]:
        """Indices of the characters that a rule belongs to; none where it ends elsewhere than they do."""
        height = (self.base - (rule[1] + rule[3]) / 2) / self.size
        thin = (rule[3] - rule[1] <= np.maximum(THICKEST * self.size, 2.0)) & (
            rule[2] - rule[0] >= SHORTEST * self.size
        )
        within = (self.middle >= rule[0]) & (self.middle <= rule[2])
        chosen = np.flatnonzero(within & thin & (height >= low) & (height <= high))
        if not len(chosen):
            return []
        size = float(np.median(self.size[chosen]))
        if float((self.right[chosen] - self.left[chosen]).sum()) < FILLED * (rule[2] - rule[0]):
            return []
        found = {int(i) for i in self.letters[chosen]}
        ends = [self._ends(chosen)]
        if low == UNDER[0]:
            for index in list(found):
                found |= _with_descenders(words[index], found, chars)
            ends.append(self._ends(np.flatnonzero(np.isin(self.letters, list(found)))))
        off = [min(abs(end[side] - rule[2 * side]) for end in ends) for side in (0, 1)]
        return sorted(found) if max(off) <= OVERHANG * size else []

    def _ends(self, chosen: NDArray[np.int64]) -> tuple[float, float]:
        return float(self.left[chosen].min()), float(self.right[chosen].max())


def _with_descenders(word: Sequence[int], found: set[int], chars: Sequence[str]) -> set[int]:
    """The letters of a word that a line leaves out only because they reach below it."""
    more: set[int] = set()
    for step in (word, word[::-1]):
        reached = False
        for index in step:
            if index in found or index in more:
                reached = True
            elif reached and chars[index] in _DESCENDING:
                more.add(index)
            else:
                reached = False
    return more
