"""Three dots in a row as one sign."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.formulas.items import Group, Item, ReadItems, around, named, without
from galley.drafters.formulas.symbol_classes import Symbol, kinds
from galley.drafters.formulas.typeset import AXIS, has_size

_DOTS = (".", "\\cdot")
_BESIDE = ("+", "=", "-")
_SURE = (-0.1,)


def read_dots(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Three dots at equal steps, level, upright or slanting, as one sign."""
    items = _without_colons(items, em)
    dots = sorted(named(items, _DOTS), key=lambda item: (item.box.x, item.box.y))
    for first, second in permutations(dots, 2):
        x, y = second.box.x - first.box.x, second.box.y - first.box.y
        if not _is_step(x, y, em) or first not in items or second not in items:
            continue
        place = second.box.x + x, second.box.y + y
        third = next((dot for dot in dots if dot in items and _is_at(dot.box, place, em)), None)
        if third is None:
            continue
        others = without(items, first, second, third)
        items = [*others, _dotted(around([first, second, third]), x, y, em, others)]
    return items


def _without_colons(items: list[Item], em: float) -> list[Item]:
    """The items, colons with a dot over or under them as single dots: two of three upright ones look like a colon."""
    dots = named(items, _DOTS)
    for colon in [i for i in items if isinstance(i, Symbol) and i.name == ":"]:
        if any(
            abs(dot.box.x - colon.box.x) < 0.1 * em and -dot.box.overlap_y(colon.box) < 0.5 * em
            for dot in dots
        ):
            dot = next(kind for kind in kinds() if kind.name == ".")
            box, size = colon.box, min(colon.box.width, colon.box.height / 2)
            tops = box.y0, box.y1 - size
            parts = [Symbol(Box(box.x0, top, box.x1, top + size), ((dot, colon.sure[0]),)) for top in tops]
            items = [*without(items, colon), *parts]
    return items


def _is_step(x: float, y: float, em: float) -> bool:
    return 0.15 * em < max(abs(x), abs(y)) < 0.75 * em and x > -0.1 * em


def _is_at(dot: Box, place: tuple[float, float], em: float) -> bool:
    return abs(dot.x - place[0]) < 0.1 * em and abs(dot.y - place[1]) < 0.1 * em


def _dotted(box: Box, x: float, y: float, em: float, others: Sequence[Item]) -> Group:
    if abs(y) < 0.1 * em:
        name = "\\cdots" if _is_centred(box, others) else "\\ldots"
    else:
        name = "\\vdots" if abs(x) < 0.1 * em else "\\ddots"
    baseline = box.y1 if name == "\\ldots" else box.y + AXIS * em
    return Group(name, box, em, baseline, _SURE, name)


def _is_centred(box: Box, others: Sequence[Item]) -> bool:
    """Whether dots stand at the height of the signs beside them rather than at the foot of letters."""
    beside = [i.box for i in others if not isinstance(i, Symbol) or has_size(i.kind) or i.name in _BESIDE]
    near = [other for other in beside if other.overlap_y(box) > -other.height]
    if not near:
        return False
    nearest = min(near, key=lambda other: min(abs(other.x0 - box.x1), abs(box.x0 - other.x1)))
    return box.y < nearest.y + 0.3 * nearest.height
