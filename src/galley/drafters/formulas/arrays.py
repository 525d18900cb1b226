"""Rows between tall delimiters, or behind a tall brace: matrices and cases."""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.formulas.glyph_boxes import column_spans
from galley.drafters.formulas.items import Group, Item, ReadItems, around, rows, without
from galley.drafters.formulas.symbol_classes import Symbol
from galley.drafters.formulas.typeset import AXIS, has_size

_PAIRS = {"pmatrix": ("(", ")"), "bmatrix": ("[", "]"), "vmatrix": ("|", "|"), "Bmatrix": ("\\{", "\\}")}
_HALF_BRACKETS = {
    "[": ("\\lfloor", "\\lceil"),
    "]": ("\\rfloor", "\\rceil"),
    "|": ("\\mathrm{l}", "l", "1", "\\parallel"),
}
_SIGNS = frozenset((*(sign for pair in _PAIRS.values() for sign in pair), *sum(_HALF_BRACKETS.values(), ())))
_UNKNOWN = -8.0
"""log-probability of a class that is not among a symbol's candidates"""


def read_arrays(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Each array of two or more rows as one group, the tallest first."""
    for left in sorted((i for i in items if _is_tall(i, em)), key=lambda item: -item.box.height):
        if left not in items:
            continue
        right = _closing(left, items, em)
        if right is None and left.name != "\\{":
            continue
        inside = _between(left, right, items)
        lines = rows(inside, 0.1 * em)
        if len(lines) > 1 and all(_is_full(line, em) for line in lines):
            group = _array(left, right, lines, em, read)
            items = [*without(items, left, right, *inside), group]
    return items


def _is_tall(item: Item, em: float) -> bool:
    return isinstance(item, Symbol) and item.name in _SIGNS and item.box.height > 1.7 * em


def _is_full(line: Sequence[Item], em: float) -> bool:
    """Whether a row has something of the matrix's own size in it, unlike scripts and limits alone."""
    return any(
        isinstance(item, Group)
        or (has_size(item.kind) and item.kind.height and item.box.height > 0.8 * em * item.kind.height)
        for item in line
    )


def _closing(left: Item, items: Sequence[Item], em: float) -> Item | None:
    alike = [
        i
        for i in without(items, left)
        if _is_tall(i, em)
        and i.box.x0 > left.box.x1
        and abs(i.box.y - left.box.y) < 0.3 * em
        and 0.8 < i.box.height / left.box.height < 1.25
    ]
    return min(alike, key=lambda item: item.box.x0, default=None)


def _between(left: Item, right: Item | None, items: Sequence[Item]) -> list[Item]:
    end = right.box.x0 if right else max(i.box.x1 for i in items) + 1
    top, bottom = left.box.y0 - 2, left.box.y1 + 2
    return [i for i in without(items, right) if left.box.x1 <= i.box.x <= end and top <= i.box.y <= bottom]


def _array(
    left: Item, right: Item | None, lines: Sequence[Sequence[Item]], em: float, read: ReadItems
) -> Group:
    inside = [item for line in lines for item in line]
    sure = left.sure
    written = []
    for line in lines:
        cells = []
        for start, end in column_spans((item.box for item in inside), 0.65 * em):
            cell = [item for item in line if start <= item.box.x <= end]
            group = read(cell, em) if cell else None
            cells.append(group.latex if group else "")
            sure += group.sure if group else ()
        written.append(" & ".join(cells))
    name = "cases" if right is None else max(_PAIRS, key=lambda name: _likely(left, right, *_PAIRS[name]))
    box = around([*inside, left, *([right] if right else [])])
    body = " \\\\ ".join(written)
    latex = f"\\begin{{{name}}} {body} \\end{{{name}}}"
    return Group(latex, box, em, box.y + AXIS * em, sure, name)


def _likely(left: Item, right: Item, opening: str, closing: str) -> float:
    """Log-probability that two signs are this pair: tall ones are hard to tell apart alone."""
    return _best(left, opening) + _best(right, closing)


def _best(item: Item, name: str) -> float:
    candidates = item.candidates if isinstance(item, Symbol) else ()
    names = (name, *_HALF_BRACKETS.get(name, ()))
    return max((score for kind, score in candidates if kind.name in names), default=_UNKNOWN)
