"""Formula zones read as LaTeX, from their glyphs where the page has them, else from the picture where that is sure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.document import BBox
from galley.drafters.formulas import Formula, FormulaReader
from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas import read_formula
from galley.ingest.page_glyphs import PageGlyphs

LEAST_CONFIDENCE = 0.85
"""Below it the characters that the line reader saw are the better draft; measured on rendered formulas."""
_MARGIN = 2
_PAPER = 255


def read_latex(
    reader: FormulaReader, image: NDArray[np.uint8], bbox: BBox, numbers: Sequence[BBox]
) -> Formula | None:
    """The formula in a box of a page's image (height, width, 3), without the boxes of its numbers.

    None where it cannot be read well enough.
    """
    height, width = image.shape[:2]
    x0, y0 = max(0, int(bbox.x0) - _MARGIN), max(0, int(bbox.y0) - _MARGIN)
    x1, y1 = min(width, int(bbox.x1) + _MARGIN + 1), min(height, int(bbox.y1) + _MARGIN + 1)
    if x1 <= x0 or y1 <= y0:
        return None
    gray = np.array(Image.fromarray(image[y0:y1, x0:x1]).convert("L"))
    for number in numbers:
        left, right = (max(0, int(edge) - x0) for edge in (number.x0 - 1, number.x1 + 2))
        top, bottom = (max(0, int(edge) - y0) for edge in (number.y0 - 1, number.y1 + 2))
        gray[top:bottom, left:right] = _PAPER
    formula = reader.read(gray)
    return formula if formula and formula.confidence >= LEAST_CONFIDENCE else None


def read_glyph_latex(glyphs: PageGlyphs, bbox: BBox, numbers: Sequence[BBox]) -> Formula | None:
    """The formula whose glyphs stand in a box of the page, without the boxes of its numbers.

    None where a glyph or a rule in it has no known meaning or place.
    """
    read = read_formula(glyphs, _box(bbox), [_box(number) for number in numbers])
    return Formula(read.latex, 1.0, read.number) if read and not read.doubts else None


def _box(bbox: BBox) -> Box:
    return Box(bbox.x0, bbox.y0, bbox.x1, bbox.y1)
