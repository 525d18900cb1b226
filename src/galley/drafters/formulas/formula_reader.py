"""From the picture of a formula to its LaTeX."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from galley.drafters.formulas.components import Gray
from galley.drafters.formulas.items import Group, Item
from galley.drafters.formulas.structure import read_structure
from galley.drafters.formulas.symbols import SymbolReader
from galley.drafters.formulas.typeset import usual_size

_NUMBER = re.compile(r"[(\[] ([A-Z]? ?[\d .]*\d)( ?[a-z])? [)\]]")
_NUMBER_GAP = 2.5
"""ems of paper before an equation's number, at least"""


@dataclass(frozen=True)
class Formula:
    """A formula as it was read.

    Attributes:
        latex: Its LaTeX without dollars.
        confidence: Mean probability of its symbols, 0 to 1.
        number: The equation's number without brackets, where one stands beside it.
    """

    latex: str
    confidence: float
    number: str | None = None


class FormulaReader:
    """Reads pictures of displayed formulas, printed dark on light."""

    def __init__(self) -> None:
        self._symbols = SymbolReader()

    def read(self, gray: Gray) -> Formula | None:
        """The formula of a picture (height, width); None for one without ink."""
        symbols = self._symbols.read(gray)
        if not symbols:
            return None
        em = usual_size(symbols)
        items, number = _without_number(symbols, em)
        group = read_structure(items, em)
        return Formula(group.latex, _mean(group), number)


def _without_number(items: Sequence[Item], em: float) -> tuple[list[Item], str | None]:
    """The items without an equation's number at the right, and that number."""
    ordered = sorted(items, key=lambda item: item.box.x0)
    reach = ordered[0].box.x1
    for place, item in enumerate(ordered[1:], 1):
        if item.box.x0 > reach + _NUMBER_GAP * em:
            match = _NUMBER.fullmatch(read_structure(ordered[place:], em).latex)
            if match:
                return ordered[:place], "".join(match.groups("")).replace(" ", "")
        reach = max(reach, item.box.x1)
    return list(items), None


def _mean(group: Group) -> float:
    return sum(math.exp(value) for value in group.sure) / len(group.sure) if group.sure else 0.0
