"""Which stretches of running text are mathematics, and their LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import Atom, around
from galley.drafters.glyph_formulas.pieces import join_pieces
from galley.drafters.glyph_formulas.runs import find_runs
from galley.drafters.glyph_formulas.structure import read_structure
from galley.drafters.glyph_formulas.text_lines import Row, has_mathematics, text_rows
from galley.drafters.glyph_formulas.words import read_words
from galley.ingest.page_glyphs import PageGlyphs

ASCENT, DESCENT = 0.88, 0.25
"""Type sizes above and below the baseline, as of a text layer's characters."""


@dataclass(frozen=True)
class InlineFormula:
    """Mathematics within a line of text.

    Attributes:
        latex: Without dollars.
        box: Of its ink.
        base, size: Y of the line's baseline and its type size.
        doubts: As of a displayed formula.
        is_open: Whether it ends in a sign after which a formula goes on in the next line.
        parts: (n, 4) a box about each of its glyphs, type size high.
    """

    latex: str
    box: Box
    base: float
    size: float
    doubts: int
    is_open: bool
    parts: NDArray[np.float64]


def inline_formulas(glyphs: PageGlyphs) -> list[InlineFormula]:
    """All inline mathematics of a page, line by line. Displayed formulas are found as well, a piece for each row."""
    if not has_mathematics(glyphs):
        return []
    found: list[InlineFormula] = []
    flat = [Box(*map(float, rule)) for rule in glyphs.rules if rule[2] - rule[0] > 3 * (rule[3] - rule[1])]
    before: Row | None = None
    goes_on = False
    for row in text_rows(glyphs, flat):
        near = [
            rule
            for rule in flat
            if -1.9 * row.size < rule.y - row.base < 1.2 * row.size and rule.width < 25 * row.size
        ]
        goes_on = goes_on and before is not None and row.base - before.base < 2.2 * row.size
        last_item = max(row.items, key=lambda item: item.right)
        goes_on_next = False
        for run in find_runs(row, near, goes_on):
            found.append(_formula(run, near, row))
            goes_on_next = found[-1].is_open and any(item is last_item for item in run)
        before, goes_on = row, goes_on_next
    return found


def _formula(run: Sequence[Atom], rules: Sequence[Box], row: Row) -> InlineFormula:
    box = around(run)
    edge = 0.25 * row.size
    within = [
        r
        for r in rules
        if box.x0 < r.x < box.x1 and box.y0 - edge < r.y < box.y1 + edge and r.width < box.width + row.size
    ]
    group = read_structure(read_words(join_pieces(run)), within)
    last = max(run, key=lambda item: item.right)
    return InlineFormula(
        group.latex, box, row.base, row.size, group.doubts, last.kind in ("rel", "bin", "punct"), _parts(run)
    )


def _parts(run: Sequence[Atom]) -> NDArray[np.float64]:
    """A box about each glyph, from its baseline and type size; of signs in pieces about their ink too."""
    boxes = [(i.left, i.base - ASCENT * i.size, i.right, i.base + DESCENT * i.size) for i in run]
    boxes += [(i.box.x0, i.box.y0 - 0.5 * i.size, i.box.x1, i.box.y1) for i in run if i.centred]
    return np.array(boxes)
