"""Lines of running text from glyphs: what stands on a baseline, and the scripts and fractions that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import AXIS, Atom, atoms, mathematical, without
from galley.drafters.glyph_formulas.pieces import join_pieces
from galley.ingest.page_glyphs import PageGlyphs

_SAME = 0.03
"""ems between baselines of one line, at most"""
_NEAR = 0.95
"""ems that the axis of a script may be off the line's"""
_BESIDE = 1.2
"""ems from a script to the nearest glyph of its line"""
_TALL, _WIDEST = 1.7, 20
"""ems of brackets that may hold several lines"""
_SHIFTED = 0.35
_ACCENT_RAISE = 0.5
"""ems from the axis of a line to its accents"""
_SMALLER = 0.88


@dataclass
class Row:
    """One line of text.

    Attributes:
        items: On the baseline and off it, from left to right.
        attached: Ids of those off it.
    """

    size: float
    base: float
    items: list[Atom] = field(default_factory=list)
    attached: set[int] = field(default_factory=set)

    def is_off(self, item: Atom) -> bool:
        """Whether an atom stands off the baseline."""
        return id(item) in self.attached


def has_mathematics(glyphs: PageGlyphs) -> bool:
    """Whether any glyph of the page is of a mathematical face or alphabet."""
    return bool(mathematical(glyphs).any())


def text_rows(glyphs: PageGlyphs, rules: Sequence[Box]) -> list[Row]:
    """The page's lines, top to bottom; columns side by side share a line.

    Args:
        glyphs: All glyphs of the page.
        rules: The level ones.
    """
    chosen = np.flatnonzero(glyphs.upright & (glyphs.sizes > 0))
    items = join_pieces(atoms(glyphs, chosen))
    rows = _baselines([item for item in items if not item.centred and item.kind != "accent"])
    rows = _with_shifted(rows)
    _place_centred(rows, [item for item in items if item.centred and item.kind != "accent"])
    _place_centred(rows, [item for item in items if item.kind == "accent"])
    rows = _with_scripts(_with_scripts(rows))
    for rule in rules:
        _gather_fraction(rows, rule)
    for row in list(rows):
        for box in bracket_boxes(row.items, row.size):
            _gather_box(rows, row, box)
    rows = [row for row in rows if row.items]
    for row in rows:
        row.items.sort(key=lambda item: (item.left, item.box.x0))
    return rows


def _baselines(items: list[Atom]) -> list[Row]:
    """Atoms by baseline, the largest type first."""
    rows: list[Row] = []
    for item in sorted(items, key=lambda item: item.base):
        if rows and item.base - rows[-1].base < _SAME * max(item.size, rows[-1].size):
            rows[-1].items.append(item)
            rows[-1].size = max(rows[-1].size, item.size)
        else:
            rows.append(Row(item.size, item.base, [item]))
    return sorted(rows, key=lambda row: -row.size)


def _with_shifted(rows: list[Row]) -> list[Row]:
    """The lines with signs of the same size that are set a little off the baseline, as a centred colon is."""
    for n, row in enumerate(rows):
        homes = [
            r
            for r in rows
            if r is not row and abs(r.size - row.size) < 0.1 * r.size and len(r.items) > 4 * len(row.items)
        ]
        kept: list[Atom] = []
        for item in row.items:
            shifted = item.kind in ("rel", "bin", "punct", "accent")
            home = (
                next(
                    (r for r in homes if abs(r.base - item.base) < _SHIFTED * r.size and _is_beside(item, r)),
                    None,
                )
                if shifted
                else None
            )
            (kept if home is None else home.items).append(item)
        rows[n].items = kept
    return sorted((row for row in rows if row.items), key=lambda row: -row.size)


def _with_scripts(rows: list[Row]) -> list[Row]:
    """The lines, top to bottom, with the lines of smaller type within their reach as their scripts."""
    rows = sorted(rows, key=lambda row: -row.size)
    for n, row in enumerate(rows):
        larger = [other for other in rows[:n] if _reaches(other, row)]
        kept = [item for item in row.items if row.is_off(item)]
        waiting = sorted((item for item in row.items if not row.is_off(item)), key=lambda item: item.left)
        moved = True
        while moved and waiting and larger:
            moved = False
            for item in waiting:
                home = _home(item, larger)
                if home is not None:
                    home.items.append(item)
                    home.attached.add(id(item))
                    moved = True
            waiting = [item for item in waiting if not any(id(item) in other.attached for other in larger)]
        if larger:
            row.items = kept + waiting
    return sorted((row for row in rows if row.items), key=lambda row: row.base)


def bracket_boxes(items: Sequence[Atom], size: float) -> list[Box]:
    """Boxes of pairs of tall brackets, which may hold several lines."""
    tall = sorted(
        (i for i in items if i.centred and i.kind in ("open", "close") and i.box.height > _TALL * size),
        key=lambda i: i.left,
    )
    found, opened = [], []
    for item in tall:
        if item.kind == "open":
            opened.append(item)
        elif opened:
            box = opened.pop().box.union(item.box)
            found += [box] if box.width < _WIDEST * size else []
    return found


def _gather_box(rows: list[Row], home: Row, box: Box) -> None:
    """Put what stands between tall brackets with the line that the brackets belong to."""
    for row in rows:
        if row is home or not box.y0 - row.size < row.base < box.y1 + row.size:
            continue
        moved = [item for item in row.items if box.holds(item.box)]
        home.items += moved
        home.attached |= {id(item) for item in moved}
        row.items = without(row.items, *moved)


def _gather_fraction(rows: list[Row], rule: Box) -> None:
    """Put the numerator and denominator of a bar on the axis of a line with that line."""
    home = next(
        (r for r in rows if abs(r.base - AXIS * r.size - rule.y) < 0.1 * r.size and rule.width < 20 * r.size),
        None,
    )
    if home is None:
        return
    for row in rows:
        if row is home or abs(row.base - home.base) > 1.3 * home.size:
            continue
        moved = [
            item
            for item in row.items
            if item.size < _SMALLER * home.size
            and rule.x0 - 0.05 * home.size < item.box.x < rule.x1 + 0.05 * home.size
            and abs(item.box.y - rule.y) < 0.9 * home.size
        ]
        home.items += moved
        home.attached |= {id(item) for item in moved}
        row.items = without(row.items, *moved)


def _reaches(larger: Row, row: Row) -> bool:
    return abs(larger.base - row.base) < (_NEAR + 0.25) * larger.size


def _home(item: Atom, rows: list[Row]) -> Row | None:
    """The line of larger type that an atom is a script or part of a fraction in."""
    best, least = None, _NEAR
    for row in rows:
        if item.size > _SMALLER * row.size:
            continue
        off = abs(item.axis - (row.base - AXIS * row.size)) / row.size
        if off < least and _is_beside(item, row):
            best, least = row, off
    return best


def _is_beside(item: Atom, row: Row) -> bool:
    reach = _BESIDE * row.size
    return any(
        other.left - reach < item.right and item.left < other.right + reach
        for other in row.items
        if other is not item
    )


def _place_centred(rows: list[Row], items: list[Atom]) -> None:
    """Put what is centred on the axis on its line."""
    bases: NDArray[np.float64] = np.array([row.base - AXIS * row.size for row in rows])
    for item in items:
        if not len(rows):
            return
        axis = item.box.y + _ACCENT_RAISE * item.size if item.kind == "accent" else item.axis
        order = [rows[n] for n in np.argsort(np.abs(bases - axis))[:12]]
        near = [row for row in order if row.size > 0.9 * item.size or item.kind != "accent"][:4]
        home = next(
            (r for r in near if abs(r.base - AXIS * r.size - axis) < _NEAR * r.size and _is_beside(item, r)),
            None,
        )
        if home is not None:
            home.items.append(item)
