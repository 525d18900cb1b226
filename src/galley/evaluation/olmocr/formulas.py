r"""Whether a page states a formula.

It does when the MathML that KaTeX makes of one of its formulas holds that of the expected one, or when every
symbol drawn for the expected one can be given a symbol of the other with the same neighbours above, below,
left and right. A page may thus state more than was asked for, not less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from rapidfuzz import fuzz

from galley.evaluation.olmocr.katex import Drawing, Symbol, draw

_DELIMITED = tuple(
    re.compile(pattern, re.S)
    for pattern in (r"\\\((.+?)\\\)", r"\\\[(.+?)\\\]", r"\$\$(.+?)\$\$", r"\$(.+?)\$")
)
_TOLERANCE = 5.0
_MAX_STEPS = 20_000


def formulas(markdown: str, *, dollars: bool = True) -> Iterator[str]:
    r"""Formulas between ``\(…\)`` and ``\[…\]``, and between ``$$…$$`` and ``$…$`` unless told otherwise."""
    for pattern in _DELIMITED if dollars else _DELIMITED[:2]:
        yield from (match.strip() for match in pattern.findall(markdown))
        markdown = pattern.sub("", markdown)


def states(markdown: str, formula: str, *, dollars: bool = True) -> bool:
    """True when a formula of the page looks like ``formula`` or holds it."""
    written = list(dict.fromkeys(formulas(markdown, dollars=dollars)))
    if formula in written:
        return True
    if not written:
        return False
    expected = draw(formula)
    if expected is None:
        return False
    written.sort(key=lambda other: -fuzz.ratio(other, formula))
    return any(holds(found, expected) for other in written if (found := draw(other)) is not None)


def holds(found: Drawing, expected: Drawing) -> bool:
    """Whether ``expected`` is all of ``found`` or a part of it."""
    return expected.mathml in found.mathml or _embeds(expected.symbols, found.symbols)


def _embeds(wanted: tuple[Symbol, ...], page: tuple[Symbol, ...]) -> bool:
    """Whether the wanted symbols can be placed on different ones of the page, neighbours on neighbours."""
    places = [[j for j, other in enumerate(page) if other.text == symbol.text] for symbol in wanted]
    if not all(places):
        return False
    near, near_page = _neighbours(wanted), _neighbours(page)

    def fits(i: int, j: int, chosen: list[int]) -> bool:
        """A neighbour placed already must be the neighbour there; one still to come must look like it."""
        for mine, other in zip(near[i], near_page[j], strict=True):
            if mine >= 0 and (
                other < 0
                or (mine < i and chosen[mine] != other)
                or (mine > i and page[other].text != wanted[mine].text)
            ):
                return False
        return True

    chosen: list[int] = []
    options = [iter(places[0])]
    for _ in range(_MAX_STEPS):  # hopeless searches on pages of equal symbols end somewhere
        i = len(options) - 1
        place = next((j for j in options[i] if j not in chosen and fits(i, j, chosen)), None)
        if place is None:
            options.pop()
            if not options:
                return False
            chosen.pop()
        elif i + 1 == len(wanted):
            return True
        else:
            chosen.append(place)
            options.append(iter(places[i + 1]))
    return False


def _neighbours(symbols: tuple[Symbol, ...]) -> list[tuple[int, int, int, int]]:
    """The nearest symbol above, below, left and right of each symbol, within the tolerance beside the axis.

    Returns:
        Four indices for each symbol; −1 where there is no such neighbour.
    """
    x = np.array([symbol.x for symbol in symbols])
    y = np.array([symbol.y for symbol in symbols])
    right, down = x[None] - x[:, None], y[None] - y[:, None]
    in_column, in_row = abs(right) <= _TOLERANCE, abs(down) <= _TOLERANCE
    found = []
    for distance, aligned in ((-down, in_column), (down, in_column), (-right, in_row), (right, in_row)):
        allowed = aligned & (distance > 0)
        nearest = np.where(allowed, distance, np.inf).argmin(axis=1)
        found.append(np.where(allowed.any(axis=1), nearest, -1))
    return [(int(a), int(b), int(c), int(d)) for a, b, c, d in zip(*found, strict=True)]
