"""From symbols on a page to LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from galley.drafters.formulas.accents import read_accents
from galley.drafters.formulas.arrays import read_arrays
from galley.drafters.formulas.dots import read_dots
from galley.drafters.formulas.fractions import read_fractions, read_roots
from galley.drafters.formulas.items import Group, Item, ReadItems, around, rows
from galley.drafters.formulas.limits import read_arrows, read_functions, read_limits
from galley.drafters.formulas.script_lines import part_lines, read_aligned, read_line
from galley.drafters.formulas.typeset import AXIS

_STEPS: tuple[Callable[[list[Item], float, ReadItems], list[Item]], ...] = (
    read_roots,
    read_dots,
    read_fractions,
    read_functions,
    read_limits,
    read_arrows,
    read_arrays,
    read_accents,
)
"""Each puts a group in the place of the items that it recognises, so that lines with scripts are left."""


def read_structure(items: Sequence[Item], em: float) -> Group:
    """All items, whose main line is ``em`` pixels to the em, as one group.

    Raises:
        ValueError: Without any.
    """
    if not items:
        raise ValueError("nothing to read")
    left = list(items)
    for step in _STEPS:
        left = step(left, em, read_structure)
    parts = [line for row in rows(left, 0.4 * em) for line in part_lines(row, em) if line]
    if len(parts) == 1:
        return read_line(parts[0], em, read_structure)
    body, sure = read_aligned(parts, em, read_structure)
    box = around(left)
    return Group(f"\\begin{{aligned}} {body} \\end{{aligned}}", box, em, box.y + AXIS * em, sure)
