"""Watermarks and stamps of a text layer: text set aslant over the page, apart from what the page says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from galley.document import BBox
from galley.ingest.page import TextWord
from galley.ingest.pdf_glyphs import Run

_SLANT = 5.0
"""Degrees away from the nearest right angle; a scan's OCR follows a page that lies askew by less."""
_LARGE = 1.8
"""Type sizes of the page's usual one, from which slanted text is a stamp."""
_PALE = 128
"""Of 255, the darkest channel of a pale colour."""
_REPEATED = 3
"""Times that a slanted text occurs on a page to be tiled over it."""


class Sorted(NamedTuple):
    """words: those of the page's text, with their ``indices`` among all. watermarks: each
    stamped text once, as one word."""

    indices: list[int]
    watermarks: list[TextWord]


def part_watermarks(words: Sequence[TextWord], runs: Sequence[Run]) -> Sorted:
    """Which words are text of the page, and what is stamped over it.

    Slanted text that is neither large, pale nor repeated (an axis label, a slanted heading of a column) is text.

    Args:
        words: of a page, in content order.
        runs: what the characters of each word share.
    """
    groups = [group for group in _text_objects(runs) if _slant(runs[group[0]].angle) > _SLANT]
    if not groups:
        return Sorted(list(range(len(words))), [])
    straight = [word.size for word, run in zip(words, runs, strict=True) if _slant(run.angle) <= _SLANT]
    usual = float(np.median(straight)) if straight else 0.0
    texts = [" ".join(words[i].text for i in group) for group in groups]
    times = Counter(texts)
    stamped: set[int] = set()
    once: dict[str, TextWord] = {}
    for group, text in zip(groups, texts, strict=True):
        first = words[group[0]]
        pale = min(runs[group[0]].colour or (0,)) >= _PALE
        if pale or times[text] >= _REPEATED or first.size > _LARGE * usual:
            stamped.update(group)
            box = BBox.around(words[i].bbox for i in group)
            once.setdefault(text, replace(first, text=text, bbox=box, char_boxes=None))
    return Sorted([i for i in range(len(words)) if i not in stamped], list(once.values()))


def _text_objects(runs: Sequence[Run]) -> list[list[int]]:
    """Indices of words that follow each other in one text object."""
    groups: list[list[int]] = []
    for i, run in enumerate(runs):
        if groups and runs[groups[-1][-1]] is run:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _slant(angle: float) -> float:
    """Degrees between a baseline and the nearest right angle."""
    return abs((angle + 45.0) % 90.0 - 45.0)
