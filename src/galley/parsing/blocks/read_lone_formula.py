"""Pass: a page that holds nothing but a formula.

The layout model knows formulas from their surroundings, and a formula alone as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from galley.document import BBox, Block, Label
from galley.parsing.blocks.context import BlockContext, context_of
from galley.parsing.blocks.formulas import formula_block
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import box_around
from galley.parsing.zones.split_formula_zones import WORD

MOST_LINES = 20
"""Lines that one formula may be read as."""
MOST_WORDS = 0.3
"""Share of the characters that may stand in words; more is text with symbols in it."""
MARGIN = 2.0
"""In heights of a line: how far signs that no line reader saw may stand around the lines."""
_FUNCTIONS = frozenset(
    ("sin", "cos", "tan", "log", "exp", "lim", "max", "min", "sup", "inf", "det", "dim", "ker")
)
_STRUCTURE = re.compile(
    r"\\(frac|sqrt|sum|prod|int|oint|leq|geq|neq|approx|equiv|sim|to|in|subset)\b|[\^_=<>]"
)


def read_lone_formula(page: PageState, tools: PageTools) -> None:
    """Read the page as one formula, where it may be one and the reading is more than its characters in a row.

    Reads: number, image, zones, body, text_layer, uses_text_layer.
    Changes: blocks.
    """
    block = lone_formula(page.zones, context_of(page, tools))
    page.blocks = [block] if block else []


def lone_formula(zones: Sequence[Zone], context: BlockContext) -> Block | None:
    """The formula that a page is, if it is nothing else and can be read."""
    zone = _only_formula(zones)
    if zone is None:
        return None
    block = formula_block(zone, context)
    block.bbox = box_around(zone.lines)
    return block if "unverified" not in block.flags and _STRUCTURE.search(block.content) else None


def _only_formula(zones: Sequence[Zone]) -> Zone | None:
    """All of a page that may hold nothing but a formula, as one zone; None where anything reads as words."""
    lines = [line for zone in zones for line in zone.lines]
    text = "".join(line.text for line in lines)
    words = [word for word in WORD.findall(text) if word.lower() not in _FUNCTIONS]
    if any(zone.label is Label.TABLE for zone in zones):
        return None
    if not text or len(lines) > MOST_LINES or sum(map(len, words)) > MOST_WORDS * len(text.replace(" ", "")):
        return None
    box = box_around(lines)
    grown = MARGIN * float(median(line.bbox.height for line in lines))
    around = BBox(x0=max(0, box.x0 - grown), y0=max(0, box.y0 - grown), x1=box.x1 + grown, y1=box.y1 + grown)
    return Zone(Label.FORMULA, around, lines)
