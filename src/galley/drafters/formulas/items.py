"""What a formula is made of on its way to LaTeX: symbols, and groups of them already read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from galley.drafters.formulas.glyph_boxes import Box, hull
from galley.drafters.formulas.symbol_classes import Symbol

_LINES = ("-", "\\mathrm{l}", "|", "/", "")


@dataclass(frozen=True)
class Group:
    """A part already read: its LaTeX, its box, and the size (pixels to the em) and baseline it stands on.

    Attributes:
        sure: Log-probabilities of its symbols.
    """

    latex: str
    box: Box
    em: float
    baseline: float
    sure: tuple[float, ...]
    name: str = ""
    """of a group that acts as a sign, like an operator"""


Item = Symbol | Group
ReadItems = Callable[[Sequence[Item], float], Group]
"""Items, and pixels to the em of their line → one group. Raises ``ValueError`` without items."""


def named(items: Iterable[Item], names: Iterable[str]) -> list[Item]:
    """The items that are one of these signs."""
    wanted = frozenset(names)
    return [item for item in items if item.name in wanted]


def without(items: Iterable[Item], *gone: Item | None) -> list[Item]:
    """The items but these."""
    return [item for item in items if not any(item is other for other in gone)]


def around(items: Iterable[Item]) -> Box:
    """The box around all of at least one."""
    return hull(item.box for item in items)


def is_bar(item: Item) -> bool:
    """Whether an item is a flat line."""
    if not isinstance(item, Symbol) or not item.box.is_flat:
        return False
    return item.name in _LINES or item.box.width > 10 * item.box.height


def rows(items: Iterable[Item], gap: float) -> list[list[Item]]:
    """Items parted where nothing stands for ``gap`` pixels from top to bottom, in order."""
    found: list[list[Item]] = []
    bottom = 0.0
    for item in sorted(items, key=lambda item: item.box.y0):
        if found and item.box.y0 < bottom + gap:
            found[-1].append(item)
            bottom = max(bottom, item.box.y1)
        else:
            found.append([item])
            bottom = item.box.y1
    return found
