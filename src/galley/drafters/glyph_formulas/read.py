"""A formula read from its glyphs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import Atom, atoms, em_of
from galley.drafters.glyph_formulas.pieces import join_pieces
from galley.drafters.glyph_formulas.structure import read_structure
from galley.drafters.glyph_formulas.words import read_words
from galley.ingest.page_glyphs import PageGlyphs

_NUMBER = re.compile(r"[(\[]([A-Z]?\.?(?:\d+[.-])*\d+[a-z]?'*|[IVXivx]+|\*+)[)\]]")
_REACH = 0.6
"""ems"""
_NUMBER_GAP = 1.8
"""ems of paper before an equation's number, at least"""


@dataclass(frozen=True)
class GlyphFormula:
    """A displayed formula.

    Attributes:
        latex: Without dollars.
        number: The equation's, without brackets.
        doubts: Glyphs and rules whose meaning or place is not known; the formula is exact where there are none.
    """

    latex: str
    number: str | None
    doubts: int


def read_formula(glyphs: PageGlyphs, box: Box, numbers: Sequence[Box] = ()) -> GlyphFormula | None:
    """The displayed formula in a box of the page, without what stands in the boxes of its numbers.

    None where no glyphs stand in it.
    """
    inside = _within(glyphs.ink, box) & glyphs.upright
    if inside.any():
        # Limits and labels may stand out of a box that the lines' own height gave.
        em = float(np.median(glyphs.sizes[inside]))
        grown = Box(box.x0, box.y0 - _REACH * em, box.x1, box.y1 + _REACH * em)
        inside |= _within(glyphs.ink, grown) & glyphs.upright & (glyphs.sizes < 0.85 * em)
    for number in numbers:
        inside &= ~_within(glyphs.ink, number)
    return read_chosen(glyphs, np.flatnonzero(inside), glyphs.rules[_within(glyphs.rules, box)])


def _within(boxes: NDArray[np.float64], box: Box) -> NDArray[np.bool_]:
    """(n,) whether the middle of each box (n, 4) lies in another."""
    middle = (boxes[:, :2] + boxes[:, 2:]) / 2
    return np.asarray(((middle >= (box.x0, box.y0)) & (middle <= (box.x1, box.y1))).all(axis=1))


def read_chosen(
    glyphs: PageGlyphs, chosen: NDArray[np.int64], rules: NDArray[np.float64]
) -> GlyphFormula | None:
    """The formula of the chosen glyphs (indices) and of rules (n, 4)."""
    items = atoms(glyphs, chosen)
    if not items:
        return None
    items, number = _without_number(items)
    if not items:
        return None
    group = read_structure(read_words(join_pieces(items)), [Box(*map(float, rule)) for rule in rules])
    return GlyphFormula(group.latex, number, group.doubts)


def _without_number(items: Sequence[Atom]) -> tuple[list[Atom], str | None]:
    """The atoms without an equation's number at the right or left, and that number."""
    ordered = sorted(items, key=lambda item: item.left)
    em = em_of(ordered)
    for place in range(len(ordered) - 1, 0, -1):
        reach = max(item.right for item in ordered[:place])
        if ordered[place].left > reach + _NUMBER_GAP * em:
            match = _NUMBER.fullmatch("".join(item.char for item in ordered[place:]))
            return (ordered[:place], match[1]) if match else (list(items), None)
    return list(items), None
