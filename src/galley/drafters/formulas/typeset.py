"""How well symbols fit on a line of type: by the size and place that their classes have in ems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from galley.drafters.formulas.symbol_classes import Symbol, SymbolClass

AXIS = 0.25
"""Height of the mathematical axis above the baseline, in ems."""
SCRIPT = 0.7
_BIG = (
    "sum",
    "prod",
    "coprod",
    "int",
    "oint",
    "bigcup",
    "bigcap",
    "bigoplus",
    "bigotimes",
    "bigvee",
    "bigwedge",
)
BIG = frozenset(f"\\{name}" for name in _BIG)
INTEGRALS = frozenset(("\\int", "\\oint"))
DELIMITERS = frozenset(
    (
        "(",
        ")",
        "[",
        "]",
        "|",
        "/",
        "\\{",
        "\\}",
        "\\langle",
        "\\rangle",
        "\\lfloor",
        "\\rfloor",
        "\\lceil",
        "\\rceil",
    )
)
DELIMITERS |= {"\\parallel", "\\sqrt"}


def usual_size(symbols: Sequence[Symbol]) -> float:
    """Pixels to the em of the formula's main line: what its larger letters and digits say."""
    sizes = sorted(
        symbol.box.height / symbol.kind.height
        for symbol in symbols
        if has_size(symbol.kind) and symbol.kind.height is not None and symbol.candidates[0][1] > -0.7
    )
    if not sizes:
        return max((symbol.box.height for symbol in symbols), default=20.0)
    large = sizes[min(len(sizes) - 1, int(0.85 * len(sizes)))]
    near = [size for size in sizes if size > 0.86 * large]
    return near[len(near) // 2]


def has_size(kind: SymbolClass) -> bool:
    """Whether ink of this class tells the size of the type: letters and digits do, what stretches does not."""
    if kind.height is None or kind.height < 0.35 or kind.name in BIG or kind.name in DELIMITERS:
        return False
    is_word = kind.name.startswith("\\") and kind.name[1:].isalpha()
    return kind.name.isalnum() or is_word or "{" in kind.name


@dataclass(frozen=True)
class Line:
    """A line of type: pixels to the em, and the baseline's y."""

    em: float
    baseline: float

    @property
    def axis(self) -> float:
        """Height of fraction bars and operators, y in pixels."""
        return self.baseline - AXIS * self.em


def misfit(symbol: Symbol, kind: SymbolClass, line: Line) -> float:
    """How badly a class fits the symbol's box on a line, in nats."""
    box = symbol.box
    if kind.top is None or kind.bottom is None or kind.width is None or kind.name in BIG:
        return ((box.y - line.axis) / (0.25 * line.em)) ** 2 / 2
    if kind.name in DELIMITERS:
        off = (box.y - line.axis) / (0.2 * line.em)
        stretch = math.log(box.height / ((kind.top - kind.bottom) * line.em))
        return (off**2 + (stretch / (0.15 if stretch < 0 else 0.5)) ** 2) / 2
    top, bottom = line.baseline - kind.top * line.em, line.baseline - kind.bottom * line.em
    spread = 0.06 * line.em + 0.7
    off = ((box.y0 - top) / spread) ** 2 + ((box.y1 - bottom) / spread) ** 2
    wide = math.log(max(box.width, 1) / max(kind.width * line.em, 1)) / 0.35
    return (off + wide**2) / 2


def best_on(symbol: Symbol, line: Line) -> tuple[SymbolClass, float]:
    """The class that suits the symbol best on a line, and its cost in nats, the classifier's included."""
    costs = [
        (min(misfit(symbol, kind, line), 40.0) - score, kind)
        for kind, score in symbol.candidates
        if kind.name
    ]
    if not costs:
        return symbol.kind, 40.0
    cost, kind = min(costs, key=lambda pair: pair[0])
    return kind, cost
