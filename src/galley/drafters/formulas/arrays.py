"""Rows between tall delimiters, or behind a tall brace: matrices and cases."""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.formulas.items import Group, Item, Read, around, columns, rows, without
from galley.drafters.formulas.kinds import Symbol
from galley.drafters.formulas.typeset import AXIS

_UPRIGHT = frozenset(("|", "\\parallel", "\\mathrm{l}", "l", "1"))
_LEFT = _UPRIGHT | {"(", "[", "\\{", "\\lfloor", "\\lceil", "\\langle"}
_RIGHT = _UPRIGHT | {")", "]", "\\}", "\\rfloor", "\\rceil", "\\rangle"}
_NAMES = {"(": "pmatrix", "[": "bmatrix", "|": "vmatrix", "\\{": "Bmatrix"}


def read_arrays(items: list[Item], em: float, read: Read) -> list[Item]:
    """Each array of two or more rows as one group, the tallest first."""
    for left in sorted((i for i in items if _is_tall(i, _LEFT, em)), key=lambda item: -item.box.height):
        if left not in items:
            continue
        right = _closing(left, items, em)
        if right is None and left.name != "\\{":
            continue
        inside = _between(left, right, items)
        lines = rows(inside, 0.18 * em)
        if len(lines) > 1 and all(_is_full(line, em) for line in lines):
            group = _array(left, right, lines, em, read)
            items = [*without(items, left, right, *inside), group]
    return items


def _is_tall(item: Item, names: frozenset[str], em: float) -> bool:
    return isinstance(item, Symbol) and item.name in names and item.box.height > 1.7 * em


def _is_full(line: Sequence[Item], em: float) -> bool:
    """Whether a row has something of the matrix's own size in it, unlike scripts alone."""
    return around(line).height > 0.4 * em or any(isinstance(item, Group) for item in line)


def _closing(left: Item, items: Sequence[Item], em: float) -> Item | None:
    alike = [
        i
        for i in without(items, left)
        if _is_tall(i, _RIGHT, em)
        and i.box.x0 > left.box.x1
        and abs(i.box.y - left.box.y) < 0.3 * em
        and 0.8 < i.box.height / left.box.height < 1.25
    ]
    return min(alike, key=lambda item: item.box.x0, default=None)


def _between(left: Item, right: Item | None, items: Sequence[Item]) -> list[Item]:
    end = right.box.x0 if right else max(i.box.x1 for i in items) + 1
    top, bottom = left.box.y0 - 2, left.box.y1 + 2
    return [i for i in without(items, right) if left.box.x1 <= i.box.x <= end and top <= i.box.y <= bottom]


def _array(left: Item, right: Item | None, lines: Sequence[Sequence[Item]], em: float, read: Read) -> Group:
    inside = [item for line in lines for item in line]
    sure = left.sure
    written = []
    for line in lines:
        cells = []
        for start, end in columns(inside, 0.65 * em):
            cell = [item for item in line if start <= item.box.x <= end]
            group = read(cell, em) if cell else None
            cells.append(group.latex if group else "")
            sure += group.sure if group else ()
        written.append(" & ".join(cells))
    name = "cases" if right is None else _NAMES.get(left.name, "bmatrix")
    box = around([*inside, left, *([right] if right else [])])
    body = " \\\\ ".join(written)
    latex = f"\\begin{{{name}}} {body} \\end{{{name}}}"
    return Group(latex, box, em, box.y + AXIS * em, sure, name)
