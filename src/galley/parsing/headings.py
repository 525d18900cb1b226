"""Which lines are headings, by type size, weight and numbering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from galley.drafters.line import TextLine
from galley.parsing.markers import numbering_depth

_LARGER = 1.3
_MAX_CHARS = 150


def body_height(lines: Sequence[TextLine]) -> float:
    """Height of the lines that hold the page's middle character when sorted by height: its running text,
    in pixels.
    """
    if not lines:
        return 1.0
    heights = np.array([size_of(line) for line in lines])
    weights = np.array([len(line.text) for line in lines])
    order = np.argsort(heights)
    middle = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    return float(heights[order][min(int(middle), len(lines) - 1)])


def size_of(line: TextLine) -> float:
    """Type size where the drafter knows it, else the line's height, in pixels."""
    return line.size or line.bbox.height


def is_heading(lines: Sequence[TextLine], body: float) -> bool:
    """Whether a paragraph of the given lines, set apart from its neighbours, reads as a heading."""
    text = " ".join(line.text for line in lines)
    letters = sum(char.isalpha() for char in text)
    if len(lines) > 3 or len(text) > _MAX_CHARS or letters < 3 or 2 * letters < len(text.replace(" ", "")):
        return False
    if float(np.median([size_of(line) for line in lines])) >= _LARGER * body:
        return True
    closed = text.rstrip().endswith((".", ",", ";"))
    if all(line.bold for line in lines) and not closed:
        return True
    return False if closed else len(lines) == 1 and bool(numbering_depth(text)) and text.isupper()
