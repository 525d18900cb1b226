"""Three dots in a row as one sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.drafters.glyph_formulas.atoms import Atom, around, without

_DOTS = (".", "·", "⋅", "˙")


def read_dots(items: Sequence[Atom]) -> list[Atom]:
    """Three equal dots at equal steps, level, upright or slanting, as one sign."""
    left = list(items)
    dots = sorted((i for i in left if i.char in _DOTS), key=lambda i: (i.box.x, i.box.y))
    used: set[int] = set()
    for first in dots:
        if id(first) in used:
            continue
        for second in dots:
            if id(second) in used or second is first:
                continue
            x, y = second.box.x - first.box.x, second.box.y - first.box.y
            if not _is_step(x, y, first):
                continue
            third = next(
                (d for d in dots if id(d) not in used and _is_at(d, second.box.x + x, second.box.y + y)), None
            )
            if third is not None and third.char == second.char == first.char and third is not first:
                used |= {id(first), id(second), id(third)}
                left = [*without(left, first, second, third), _dotted(first, second, third, x, y)]
                break
    return left


def _is_step(x: float, y: float, dot: Atom) -> bool:
    em = dot.size
    if x < -0.05 * em:
        return False
    return 0.2 * em < max(abs(x), abs(y)) < 0.6 * em and not (abs(x) < 0.05 * em and y < 0)


def _is_at(dot: Atom, x: float, y: float) -> bool:
    return abs(dot.box.x - x) < 0.03 * dot.size and abs(dot.box.y - y) < 0.03 * dot.size


def _dotted(first: Atom, second: Atom, third: Atom, x: float, y: float) -> Atom:
    box = around([first, second, third])
    if abs(y) < 0.05 * first.size:
        char, latex = ("…", "\\ldots") if first.char == "." else ("⋯", "\\cdots")
        return replace(first, latex=latex, char=char, kind="ord", box=box, right=third.right)
    latex = "\\vdots" if abs(x) < 0.05 * first.size else "\\ddots"
    size = first.size
    return replace(
        first,
        latex=latex,
        char="⋮",
        kind="ord",
        box=box,
        right=third.right,
        left=first.left,
        middle=box.y,
        size=size,
    )
