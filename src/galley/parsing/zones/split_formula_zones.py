"""Formula zones as the lines bear them out: prose between formulas is text, equation numbers belong to
formulas.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.order import rows
from galley.parsing.text.markers import equation_number
from galley.parsing.zones.zone import Zone, union

_WORD = re.compile(r"[^\W\d_]{3,}")
_FUNCTIONS = frozenset(
    ("sin", "cos", "tan", "log", "exp", "lim", "max", "min", "sup", "inf", "det", "dim", "ker")
)
_STRUCTURE = re.compile(
    r"\\(frac|sqrt|sum|prod|int|oint|leq|geq|neq|approx|equiv|sim|to|in|subset)\b|[\^_=<>]"
)
_MOST_LINES = 20


def split_formulas(zones: Sequence[Zone]) -> list[Zone]:
    """Zones in order; a formula zone that holds lines of prose is cut into formulas and text."""
    return [piece for zone in zones for piece in (_cut(zone) if zone.label is Label.FORMULA else [zone])]


def only_formula(zones: Sequence[Zone]) -> Zone | None:
    """All of a page that may hold nothing but a formula, as one zone; None where anything reads as words.

    The layout model knows formulas from their surroundings, and a formula alone as text.
    """
    lines = [line for zone in zones for line in zone.lines]
    text = "".join(line.text for line in lines)
    words = [word for word in _WORD.findall(text) if word.lower() not in _FUNCTIONS]
    if any(zone.label is Label.TABLE for zone in zones):
        return None
    if not text or len(lines) > _MOST_LINES or sum(map(len, words)) > 0.3 * len(text.replace(" ", "")):
        return None
    box = union(lines)
    grown = 2 * float(median(line.bbox.height for line in lines))
    around = BBox(x0=max(0, box.x0 - grown), y0=max(0, box.y0 - grown), x1=box.x1 + grown, y1=box.y1 + grown)
    return Zone(Label.FORMULA, around, lines)


def is_mathematical(latex: str) -> bool:
    """Whether LaTeX says more than its characters in a row would."""
    return bool(_STRUCTURE.search(latex))


def join_numbers(zones: Sequence[Zone]) -> list[Zone]:
    """Zones in order; an equation number beside a formula becomes a line of the formula's zone."""
    formulas = [zone for zone in zones if zone.label is Label.FORMULA]
    numbers: dict[int, list[TextLine]] = {}
    left: list[Zone] = []
    for zone in zones:
        beside = (
            [formula for formula in formulas if _beside(formula.bbox, zone.bbox)] if _is_number(zone) else []
        )
        if beside:
            nearest = min(beside, key=lambda formula: abs(formula.bbox.center[1] - zone.bbox.center[1]))
            numbers.setdefault(id(nearest), []).extend(zone.lines)
        else:
            left.append(zone)
    return [replace(zone, lines=[*zone.lines, *numbers.get(id(zone), [])]) for zone in left]


def _is_number(zone: Zone) -> bool:
    return (
        zone.label in (Label.TEXT, Label.CAPTION)
        and len(zone.lines) == 1
        and bool(equation_number(zone.lines[0].text))
    )


def is_prose(lines: Sequence[TextLine]) -> bool:
    """Whether a row reads as words rather than symbols."""
    text = " ".join(line.text for line in lines)
    words = _WORD.findall(text)
    return len(words) >= 3 and sum(map(len, words)) > 0.5 * len(text.replace(" ", ""))


def _cut(zone: Zone) -> list[Zone]:
    found = [[zone.lines[i] for i in row] for row in rows([line.bbox for line in zone.lines])]
    kinds = [is_prose(row) for row in found]
    if not any(kinds):
        return [zone]
    pieces: list[tuple[bool, list[TextLine]]] = []
    for kind, row in zip(kinds, found, strict=True):
        if pieces and pieces[-1][0] == kind:
            pieces[-1][1].extend(row)
        else:
            pieces.append((kind, list(row)))
    return [
        replace(zone, label=Label.TEXT if prose else Label.FORMULA, bbox=union(lines), lines=lines)
        for prose, lines in pieces
    ]


def _beside(formula: BBox, number: BBox) -> bool:
    return formula.y0 <= number.center[1] <= formula.y1 and not formula.x0 < number.center[0] < formula.x1
