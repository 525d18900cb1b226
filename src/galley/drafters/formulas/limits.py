"""Operators that take limits: their names spelt in letters, and what stands over and under them."""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.formulas.items import Group, Item, ReadItems, around, named, without
from galley.drafters.formulas.symbol_classes import Symbol
from galley.drafters.formulas.typeset import AXIS, BIG, INTEGRALS, SCRIPT

_FUNCTIONS = ("argmax", "argmin", "liminf", "limsup", "lim", "max", "min", "sup", "inf")
"""Names that take limits, the longer before those they hold."""
_WITH_LIMITS = (BIG - INTEGRALS) | {f"\\{name}" for name in _FUNCTIONS}
_ARROWS = {"\\to": "\\xrightarrow", "\\longrightarrow": "\\xrightarrow", "\\leftarrow": "\\xleftarrow"}
_LEAST = -4
"""log-probability from which a symbol may be a letter that a name needs"""


def read_functions(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Names that take limits as one sign each."""
    for name in _FUNCTIONS:
        for start in [i for i in items if _spells(i, name[0])]:
            run = _spelt(name, start, items, em)
            if run:
                sure = tuple(value for item in run for value in item.sure)
                group = Group(f"\\{name}", around(run), em, run[0].box.y1, sure, f"\\{name}")
                items = [*without(items, *run), group]
    return items


def _spelt(name: str, start: Item, items: Sequence[Item], em: float) -> list[Item]:
    """Items that spell a name close together on one baseline from ``start`` on; none where they do not."""
    run = [start]
    for letter in name[1:]:
        last = run[-1].box
        following = (
            i
            for i in without(items, *run)
            if _spells(i, letter)
            and -0.08 * em < i.box.x0 - last.x1 < 0.15 * em
            and i.box.overlap_y(last) > 0.5 * min(i.box.height, last.height)
        )
        found = next(following, None)
        if found is None:
            return []
        run.append(found)
    return run


def _spells(item: Item, letter: str) -> bool:
    """Whether a symbol may be an upright letter."""
    if not isinstance(item, Symbol):
        return False
    names = (f"\\mathrm{{{letter}}}", letter, *(("|", "1") if letter == "l" else ()))
    return any(kind.name in names and score > _LEAST for kind, score in item.candidates)


def read_limits(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Big operators with what stands over and under them, except integrals, whose limits stand beside them."""
    for sign in sorted(named(items, _WITH_LIMITS), key=lambda item: item.box.x):
        small = isinstance(sign, Symbol) and sign.box.height < 0.9 * em * SCRIPT
        if small or sign not in items:
            continue
        over, under = _stacked(sign, items, em, above=True), _stacked(sign, items, em, above=False)
        if over or under:
            items = [*without(items, sign, *over, *under), _with_limits(sign, over, under, em, read)]
    return items


def read_arrows(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Long arrows with what stands over them."""
    for arrow in named(items, _ARROWS):
        over = [i for i in _stacked(arrow, items, em, above=True) if arrow.box.x0 < i.box.x < arrow.box.x1]
        if arrow in items and over and arrow.box.width > 0.9 * em:
            text = read(over, em * SCRIPT)
            latex, sure = f"{_ARROWS[arrow.name]}{{{text.latex}}}", (*arrow.sure, *text.sure)
            group = Group(latex, arrow.box, em, arrow.box.y + AXIS * em, sure, arrow.name)
            items = [*without(items, arrow, *over), group]
    return items


def _with_limits(
    sign: Item, over: Sequence[Item], under: Sequence[Item], em: float, read: ReadItems
) -> Group:
    latex, sure = sign.name, sign.sure
    for mark, part in (("_", under), ("^", over)):
        if part:
            group = read(part, em * SCRIPT)
            latex += f"{mark}{{{group.latex}}}"
            sure += group.sure
    # Of the sign's own height, so that the line it stands in is not taken for a taller one.
    baseline = sign.baseline if isinstance(sign, Group) else sign.box.y + AXIS * em
    return Group(latex, sign.box, em, baseline, sure, sign.name)


def _stacked(sign: Item, items: Sequence[Item], em: float, above: bool) -> list[Item]:
    """What stands close over or under a sign, and what goes on beside that in the same line."""
    box = sign.box
    beyond = [
        i
        for i in without(items, sign)
        if -0.12 * em < (box.y0 - i.box.y1 if above else i.box.y0 - box.y1) < 0.5 * em
    ]
    found = [i for i in beyond if i.box.overlap_x(box) > 0]
    grown = bool(found)
    while grown:
        hull = around(found)
        more = [
            i
            for i in without(beyond, *found)
            if i.box.overlap_x(hull) > -0.45 * em and i.box.overlap_y(hull) > 0
        ]
        found += more
        grown = bool(more)
    return found
