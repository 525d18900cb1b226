"""Measures of lines that several passes over zones take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from galley.document import BBox
from galley.drafters.line import TextLine

VERTICAL = 2.0
"""Ratio of height to width from which on a line is set along the page's side."""
VERTICAL_CHARS = 4
"""Characters of such a line at least; a single letter is taller than wide anyway."""


def box_around(lines: Sequence[TextLine]) -> BBox:
    """The smallest box that holds all lines, of which there is at least one."""
    return BBox.around(line.bbox for line in lines)


def line_height(lines: Sequence[TextLine]) -> float:
    """Median height of the lines in pixels; 1 where there are none."""
    return float(np.median([line.bbox.height for line in lines])) if lines else 1.0


def is_vertical(line: TextLine) -> bool:
    """Whether a line is set along the page's side."""
    return len(line.text.strip()) >= VERTICAL_CHARS and line.bbox.height > VERTICAL * line.bbox.width
