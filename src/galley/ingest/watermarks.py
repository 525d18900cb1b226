"""Watermarks and stamps of a text layer: text set aslant over the page, apart from what the page says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

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
    """words: those of the page's text, with their ``indices`` among all. watermarks: one word for each slanted text."""

    indices: list[int]
    watermarks: list[TextWord]


def part_watermarks(words: Sequence[TextWord], runs: Sequence[Run]) -> Sorted:
    """Which words are text of the page, and what is stamped over it.

    Slanted text that is neither large, pale nor repeated (an axis label, a slanted heading of a column) is text.

    Args:
        words: of a page, in content order.
        runs: what the characters of each word share.
    """
    slanted = [i for i, run in enumerate(runs) if _slant(run.angle) > _SLANT]
    if not slanted:
        return Sorted(list(range(len(words))), [])
    straight = [word.size for i, word in enumerate(words) if _slant(runs[i].angle) <= _SLANT]
    usual = float(np.median(straight)) if straight else 0.0
    times = Counter(words[i].text for i in slanted)
    stamped = {
        i
        for i in slanted
        if times[words[i].text] >= _REPEATED
        or words[i].size > _LARGE * usual
        or min(runs[i].colour or (0,)) >= _PALE
    }
    once: dict[str, TextWord] = {}
    for i in sorted(stamped):
        once.setdefault(words[i].text, words[i])
    return Sorted([i for i in range(len(words)) if i not in stamped], list(once.values()))


def _slant(angle: float) -> float:
    """Degrees between a baseline and the nearest right angle."""
    return abs((angle + 45.0) % 90.0 - 45.0)
