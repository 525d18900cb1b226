"""Vertical writing: upright signs of East Asian scripts one below the other."""

from __future__ import annotations

from collections.abc import Sequence

from galley.ingest.pdf_glyphs import Glyphs

_FIRST_SIGN = "\u2e80"
"""The first of the code points of East Asian scripts."""
_UPRIGHT = 5.0
"""Degrees; signs that are turned by more do not stand upright."""


def runs_downward(glyphs: Glyphs, words: Sequence[Sequence[int]], rotation: int) -> bool:
    """Whether most of a page's East Asian text is set in columns.

    Args:
        glyphs: Of the page.
        words: The indices of each word's characters.
        rotation: Degrees by which the page is turned clockwise to be shown.
    """
    level, downward = 0, 0
    for word in words:
        if len(word) < 2 or any(glyphs.chars[i] < _FIRST_SIGN for i in (word[0], word[-1])):
            continue
        first, last = glyphs.boxes[word[0]], glyphs.boxes[word[-1]]
        across, down = ((last[:2] + last[2:]) - (first[:2] + first[2:])) / 2
        turned = (glyphs.runs[word[0]].angle - rotation + 180.0) % 360.0 - 180.0
        if down > abs(across) and abs(turned) < _UPRIGHT:
            downward += len(word)
        else:
            level += len(word)
    return downward > level
