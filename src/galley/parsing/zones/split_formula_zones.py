"""Pass: prose that a formula's region took in is text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from galley.document import Label
from galley.drafters.line import TextLine
from galley.geometry import rows
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import box_around

WORD = re.compile(r"[^\W\d_]{3,}")
"""A word rather than a symbol: three letters or more."""
PROSE_WORDS = 3
"""Words of a row of prose."""
PROSE_SHARE = 0.5
"""Share of its characters that stand in words."""


def split_formula_zones(page: PageState, tools: PageTools) -> None:
    """Cut each formula zone that holds rows of prose into formulas and text.

    Reads: zones.
    Changes: zones.
    """
    page.zones = formulas_cut_from_prose(page.zones)


def formulas_cut_from_prose(zones: Sequence[Zone]) -> list[Zone]:
    """Zones in order; a formula zone that holds lines of prose is cut into formulas and text."""
    return [piece for zone in zones for piece in (_cut(zone) if zone.label is Label.FORMULA else [zone])]


def _is_prose(lines: Sequence[TextLine]) -> bool:
    """Whether a row reads as words rather than symbols."""
    text = " ".join(line.text for line in lines)
    words = WORD.findall(text)
    return len(words) >= PROSE_WORDS and sum(map(len, words)) > PROSE_SHARE * len(text.replace(" ", ""))


def _cut(zone: Zone) -> list[Zone]:
    found = [[zone.lines[i] for i in row] for row in rows([line.bbox for line in zone.lines])]
    kinds = [_is_prose(row) for row in found]
    if not any(kinds):
        return [zone]
    pieces: list[tuple[bool, list[TextLine]]] = []
    for kind, row in zip(kinds, found, strict=True):
        if pieces and pieces[-1][0] == kind:
            pieces[-1][1].extend(row)
        else:
            pieces.append((kind, list(row)))
    return [
        replace(zone, label=Label.TEXT if prose else Label.FORMULA, bbox=box_around(lines), lines=lines)
        for prose, lines in pieces
    ]
