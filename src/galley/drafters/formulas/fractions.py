"""Roots and fractions: what stands under a roof, and over and under a bar."""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.formulas.items import Group, Item, ReadItems, around, is_bar, named, without
from galley.drafters.formulas.typeset import AXIS


def read_roots(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Each root sign with what stands under its roof as one group, the widest first."""
    for sign in sorted(named(items, ("\\sqrt",)), key=lambda item: -item.box.width):
        if sign not in items:
            continue
        roof = next((i for i in items if is_bar(i) and _continues(sign.box, i.box, em)), sign)
        box = sign.box.union(roof.box)
        inside = [i for i in without(items, sign, roof) if box.holds(i.box)]
        if not inside:
            continue
        content = read(inside, em)
        latex, whole = f"\\sqrt{{{content.latex}}}", content.box.union(box)
        group = Group(latex, whole, content.em, content.baseline, content.sure, "\\sqrt")
        items = [*without(items, sign, roof, *inside), group]
    return items


def _continues(sign: Box, bar: Box, em: float) -> bool:
    """Whether a bar is the roof of a root, printed apart from it."""
    return abs(bar.x0 - sign.x1) < 0.2 * em + 0.1 * sign.width and abs(bar.y - sign.y0) < 0.15 * em


def read_fractions(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Each bar with what stands over and under it as one group, the shortest first."""
    for bar in sorted((i for i in items if is_bar(i)), key=lambda item: item.box.width):
        if bar not in items:
            continue
        column = [i for i in without(items, bar) if bar.box.x0 - 2 <= i.box.x <= bar.box.x1 + 2]
        over = [i for i in column if i.box.y < bar.box.y and i.box.y1 < bar.box.y1 + 2]
        under = [i for i in column if i.box.y > bar.box.y and i.box.y0 > bar.box.y0 - 2]
        above, below = _nearest(bar.box, over, em), _nearest(bar.box, under, em)
        if above and below and _spans(bar.box, above, below, em):
            group = _fraction(bar.box, read(above, em), read(below, em))
            items = [*without(items, bar, *above, *below), group]
    return items


def _fraction(bar: Box, top: Group, bottom: Group) -> Group:
    em = max(top.em, bottom.em)
    box = bar.union(top.box).union(bottom.box)
    latex = f"\\frac{{{top.latex}}}{{{bottom.latex}}}"
    return Group(latex, box, em, bar.y + AXIS * em, (*top.sure, *bottom.sure), "\\frac")


def _nearest(bar: Box, items: Sequence[Item], em: float) -> list[Item]:
    """Of what stands on one side of a bar, all up to the first gap: beyond it is another line."""
    found: list[Item] = []
    reached = bar
    for item in sorted(items, key=lambda item: _apart(item.box, bar)):
        if found and _apart(item.box, reached) > 0.32 * em:
            break
        found.append(item)
        reached = reached.union(item.box)
    return found


def _apart(first: Box, second: Box) -> float:
    """Pixels of paper between two boxes from top to bottom, 0 where they overlap."""
    return max(-first.overlap_y(second), 0.0)


def _spans(bar: Box, above: Sequence[Item], below: Sequence[Item], em: float) -> bool:
    """Whether a bar is as wide as the wider of what stands over and under it, and close to both."""
    top, bottom = around(above), around(below)
    near = max(bar.y - top.y1, bottom.y0 - bar.y)
    return bar.width > 0.75 * max(top.width, bottom.width) and near < 0.65 * em
