"""Rules within formulas: fraction bars, overlines, underlines."""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import AXIS, Atom, Read, Rules, around, em_of, regrouped, without

_FAR = 0.75
"""ems from a bar to the nearest ink of a numerator, at most"""
_LINE_GAP = 0.22
"""ems of paper within a numerator from top to bottom, at most; between two rows there is more"""


def read_rules(items: Sequence[Atom], rules: Rules, read: Read) -> tuple[list[Atom], list[Box]]:
    """The atoms with each rule and what belongs to it as one group, the shortest rule first.

    Returns:
        The atoms, and the rules that nothing belongs to.
    """
    left = list(items)
    waiting = sorted((r for r in rules if r.is_flat), key=lambda rule: (rule.width, rule.y0))
    idle = [rule for rule in rules if not rule.is_flat]
    while waiting:
        views = [(rule, _View(rule, left, [r for r in waiting if r is not rule])) for rule in waiting]
        chosen = next((view for view in views if view[1].is_free), None)
        chosen = chosen or next((view for view in views if view[1].under), views[0])
        rule, view = chosen
        waiting = [other for other in waiting if other is not rule]
        group = _group(rule, view, read)
        if group is None:
            idle.append(rule)
        else:
            left = [*without(left, *view.over, *view.under), group]
    return left, idle


class _View:
    """What stands right over and right under a rule, up to the next rule."""

    def __init__(self, rule: Box, items: Sequence[Atom], others: Sequence[Box]) -> None:
        column = [item for item in items if _is_within(item, rule)]
        near = [other for other in others if other.overlap_x(rule) > 0.3 * min(rule.width, other.width)]
        above = [item for item in column if item.box.y < rule.y]
        below = [item for item in column if item.box.y > rule.y]
        self.over = _nearest(rule, above)
        self.under = _nearest(rule, below)
        roofs = [other for other in near if other.y < rule.y]
        floors = [other for other in near if other.y > rule.y]
        over_blocked = bool(self.over) and any(other.y > around(self.over).y for other in roofs)
        under_blocked = bool(self.under) and any(other.y < around(self.under).y for other in floors)
        if over_blocked:
            self.over = []
        if under_blocked:
            self.under = []
        self.is_free = not over_blocked and not under_blocked


def _is_within(item: Atom, rule: Box) -> bool:
    """Whether an atom may belong to a rule: fonts made of others set letters off their place by up to 0.2 em."""
    edge = 0.08 * item.size
    return rule.x0 - edge <= item.box.x <= rule.x1 + edge and (
        rule.x0 - 2.8 * edge <= item.left and item.right <= rule.x1 + 2.8 * edge
        if not item.centred
        else item.box.width < rule.width + 2 * edge
    )


def _nearest(rule: Box, items: Sequence[Atom]) -> list[Atom]:
    """The line of atoms nearest to a rule on one side, with all that hangs together with it."""
    ordered = sorted(items, key=lambda item: _apart(item.box, rule))
    if not ordered or _apart(ordered[0].box, rule) > _FAR * ordered[0].size:
        return []
    found, hull, em = [ordered[0]], ordered[0].box, ordered[0].size
    grown = True
    while grown:
        grown = False
        for item in ordered:
            if any(item is other for other in found):
                continue
            if _hangs_together(item, hull, em):
                found.append(item)
                hull, em, grown = hull.union(item.box), max(em, item.size), True
    return found


def _hangs_together(item: Atom, hull: Box, em: float) -> bool:
    """Whether an atom is of the line in a box: beside it, or close over or under it and smaller."""
    if _apart(item.box, hull) < _LINE_GAP * em and item.size < 0.9 * em:
        return True
    least = 0.5 if item.kind in ("open", "close", "fence") else 0.2
    return item.box.overlap_y(hull) > least * min(item.box.height, hull.height)


def _apart(first: Box, second: Box) -> float:
    return max(-first.overlap_y(second), 0.0)


def _group(rule: Box, view: _View, read: Read) -> Atom | None:
    over, under = view.over, view.under
    if over and under and _is_fraction(rule, over, under):
        top, bottom = read(over, []), read(under, [])
        box = rule.union(top.box).union(bottom.box)
        size = _size_of_context(rule, top)
        latex = f"\\frac{{{top.latex}}}{{{bottom.latex}}}"
        doubts = top.doubts + bottom.doubts
        return Atom(latex, "group", box, rule.x0, rule.x1, size, rule.y + AXIS * size, rule.y, doubts=doubts)
    if under and _fits(rule, under):
        view.over = []
        return _lined(rule, read(under, []), "\\overline")
    if over and _fits(rule, over):
        view.under = []
        return _lined(rule, read(over, []), "\\underline")
    return None


def _lined(rule: Box, content: Atom, command: str) -> Atom:
    return regrouped(content, f"{command}{{{content.latex}}}", content.box.union(rule))


def _fits(rule: Box, part: Sequence[Atom]) -> bool:
    box, em = around(part), em_of(part)
    return box.width < rule.width + 0.35 * em and rule.width < box.width + 0.6 * em


def _is_fraction(rule: Box, over: Sequence[Atom], under: Sequence[Atom]) -> bool:
    top, bottom = around(over), around(under)
    em = max(em_of(over), em_of(under))
    wide = max(top.width, bottom.width)
    near = rule.y0 - top.y1 < 0.5 * em and bottom.y0 - rule.y1 < 0.6 * em
    middle = (
        abs(top.x - rule.x) < 0.25 * em + 0.1 * rule.width
        and abs(bottom.x - rule.x) < 0.25 * em + 0.1 * rule.width
    )
    return near and middle and rule.width > wide - 0.35 * em


def _size_of_context(rule: Box, top: Atom) -> float:
    """Size of the line that a fraction stands in, from how high its numerator is set (TeX's num1 and num2)."""
    if top.centred:
        return top.size
    raised, clear = (rule.y0 - top.base) / top.size, rule.y0 - top.box.y1
    in_text = raised < 0.3 or clear < 2 * rule.height
    return top.size / 0.7 if in_text else top.size
