"""Roots: a radical, the rule that goes on from its top, what stands under it, and a degree in its bend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.glyph_formulas.atoms import Atom, Read, Rules, around, regrouped, without


def read_roots(items: Sequence[Atom], rules: Rules, read: Read) -> tuple[list[Atom], list[Box]]:
    """The atoms and rules with each root as one group, the widest first."""
    left, free = list(items), list(rules)
    pairs = []
    for radical in [item for item in left if item.kind == "radical"]:
        roof = min(
            (r for r in free if _continues(radical, r)),
            key=lambda r: abs(r.x0 - radical.box.x1),
            default=None,
        )
        if roof is not None:
            free.remove(roof)
            pairs.append((radical, roof))
    for radical, roof in sorted(pairs, key=lambda pair: -pair[1].width):
        if not any(item is radical for item in left):
            continue
        inside = [item for item in left if item is not radical and _is_inside(item, radical, roof)]
        if not inside:
            continue
        within = [rule for rule in free if _holds(radical, roof, rule)]
        free = [rule for rule in free if not any(rule is other for other in within)]
        inner = [pair for pair in pairs if any(pair[0] is item for item in inside)]
        content = read(inside, [*within, *(roof for _, roof in inner)])
        left = without(left, radical, *inside)
        degree = [item for item in left if _is_degree(item, radical)]
        left = without(left, *degree)
        box = around([content, radical]).union(roof)
        latex = f"\\sqrt{{{content.latex}}}"
        if degree:
            index = read(degree, [])
            latex, box = f"\\sqrt[{index.latex}]{{{content.latex}}}", box.union(index.box)
        left.append(replace(regrouped(content, latex, box), size=max(content.size, radical.size * 0.99)))
    return left, free


def _continues(radical: Atom, rule: Box) -> bool:
    em = radical.size
    return (
        rule.is_flat
        and abs(rule.x0 - radical.box.x1) < 0.15 * em
        and abs(rule.y - radical.box.y0) < 0.12 * em
    )


def _is_inside(item: Atom, radical: Atom, roof: Box) -> bool:
    box, edge = item.box, 0.1 * radical.size
    return roof.x0 - edge <= box.x <= roof.x1 + edge and roof.y0 - edge <= box.y <= radical.box.y1 + edge


def _holds(radical: Atom, roof: Box, rule: Box) -> bool:
    edge = 0.1 * radical.size
    return roof.x0 - edge <= rule.x <= roof.x1 + edge and roof.y1 < rule.y <= radical.box.y1 + edge


def _is_degree(item: Atom, radical: Atom) -> bool:
    box, sign = item.box, radical.box
    small = item.size < 0.65 * radical.size
    return small and sign.x0 - 0.6 * radical.size < box.x < sign.x0 + 0.6 * sign.width and box.y < sign.y
