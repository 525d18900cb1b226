"""Accents: marks and bars right over letters."""

from __future__ import annotations

from dataclasses import replace

from galley.drafters.formulas.items import Group, Item, ReadItems, is_bar, without
from galley.drafters.formulas.symbol_classes import Symbol
from galley.drafters.formulas.typeset import has_size

_ACCENTS = {
    "\\hat": "\\hat",
    "\\widehat": "\\hat",
    "\\tilde": "\\tilde",
    "\\widetilde": "\\tilde",
    "\\sim": "\\tilde",
    "\\vec": "\\vec",
    "\\to": "\\vec",
    "\\rightharpoonup": "\\vec",
    "\\check": "\\check",
    ".": "\\dot",
    "\\cdot": "\\dot",
}


def read_accents(items: list[Item], em: float, read: ReadItems) -> list[Item]:
    """Each mark with what it stands over as one group."""
    for mark in list(items):
        if mark not in items or not isinstance(mark, Symbol):
            continue
        if not is_bar(mark) and mark.name not in _ACCENTS:
            continue
        under = [i for i in without(items, mark) if _carries(i, mark, em)]
        if under:
            items = [*without(items, mark, *under), _accented(mark, read(under, em), len(under))]
    return items


def _accented(mark: Symbol, content: Group, letters: int) -> Group:
    if is_bar(mark):
        command = "\\bar" if letters == 1 else "\\overline"
    else:
        command = _ACCENTS[mark.name]
    return replace(content, latex=f"{command}{{{content.latex}}}", name="")


def _carries(item: Item, mark: Symbol, em: float) -> bool:
    """Whether an item stands right under a mark."""
    gap = item.box.y0 - mark.box.y1
    if not -0.1 * em < gap < 0.4 * em or is_bar(item):
        return False
    if isinstance(item, Symbol) and not has_size(item.kind):
        return False
    if mark.box.width > 1.3 * item.box.width:
        return mark.box.x0 - 0.1 * em <= item.box.x <= mark.box.x1 + 0.1 * em
    # Marks stand a little to the right over slanting letters; an exponent begins behind them.
    return -0.15 * em < mark.box.x - item.box.x < 0.25 * em
