"""The classes of symbols, and symbols found in a picture."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from galley.drafters.formulas.glyph_boxes import Box

WEIGHTS = Path(__file__).parent / "weights"


@dataclass(frozen=True)
class SymbolClass:
    """A class.

    Attributes:
        name: Its LaTeX.
        top, bottom, width: Of its ink in ems, up from the baseline, None for what has no usual size.
        pieces: How many pieces of ink it is printed with.
        share: Of the symbols of formulas.
    """

    name: str
    top: float | None
    bottom: float | None
    width: float | None
    pieces: int
    share: float

    @property
    def height(self) -> float | None:
        """In ems, None for what has no usual size."""
        return None if self.top is None or self.bottom is None else self.top - self.bottom


@dataclass(frozen=True)
class Symbol:
    """A symbol on the page and what it may be.

    Attributes:
        candidates: (class, log-probability), the likeliest first.
    """

    box: Box
    candidates: tuple[tuple[SymbolClass, float], ...]

    @property
    def kind(self) -> SymbolClass:
        """The likeliest class."""
        return self.candidates[0][0]

    @property
    def name(self) -> str:
        """LaTeX of the likeliest class."""
        return self.kind.name

    @property
    def sure(self) -> tuple[float, ...]:
        """Log-probability of the likeliest class."""
        return (self.candidates[0][1],)


@lru_cache
def kinds() -> list[SymbolClass]:
    """The classes in the classifier's order."""
    table: list[tuple[str, tuple[float, float, float] | None, int, float]] = json.loads(
        (WEIGHTS / "symbols.json").read_text(encoding="utf-8")
    )
    found = []
    for name, metrics, pieces, share in table:
        top, bottom, width = metrics or (None, None, None)
        found.append(SymbolClass(name, top, bottom, width, pieces, share))
    return found
