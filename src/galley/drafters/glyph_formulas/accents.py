"""Accents over letters and groups."""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.glyph_formulas.atoms import Atom, Read, around, regrouped, without

_WIDE = 0.62
"""ems; a wider accent may stand over several letters"""


def read_accents(items: Sequence[Atom], read: Read) -> list[Atom]:
    """Each accent with what it stands over as one group, the lowest first."""
    left = list(items)
    for mark in sorted((i for i in left if i.kind == "accent"), key=lambda item: -item.box.y):
        under = _carriers(mark, without(left, mark))
        if not under:
            continue
        content = read(under, [])
        latex = f"{mark.latex}{{{content.latex}}}"
        left = [*without(left, mark, *under), regrouped(content, latex, content.box.union(mark.box))]
    return left


def _carriers(mark: Atom, items: Sequence[Atom]) -> list[Atom]:
    em = mark.size
    near = [i for i in items if i.kind not in ("accent", "bin", "rel") and _is_under(mark, i)]
    if mark.box.width > _WIDE * em:
        covered = [i for i in near if mark.box.x0 - 0.1 * em <= i.box.x <= mark.box.x1 + 0.1 * em]
        if covered and around(covered).width > 0.6 * mark.box.width:
            return covered
    full = [i for i in near if i.size > 0.9 * em or i.centred]
    best = min(full or near, key=lambda item: abs(item.box.x - mark.box.x), default=None)
    if best is None or abs(best.box.x - mark.box.x) > 0.3 * em + 0.1 * best.box.width:
        return []
    return [best]


def _is_under(mark: Atom, item: Atom) -> bool:
    gap = item.box.y0 - mark.box.y1
    return -0.12 * mark.size < gap < 0.45 * mark.size and item.size < 1.1 * mark.size
