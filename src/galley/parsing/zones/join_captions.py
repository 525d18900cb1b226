"""Pass: captions set in pieces: the number at a table's left side, the words over its middle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from galley.document import Label
from galley.geometry import rows
from galley.parsing.lines.merge import merge_rows
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.zones.measure import box_around

_OPENING = re.compile(
    r"^\s*(?:表|图|圖|table|tab\.|tableau|tabelle|fig(?:ure|\.)|abb\.)\s*(?=[\s\d]|$)", re.I
)
_PIECES = (Label.TEXT, Label.CAPTION, Label.HEADER)
REACH = 2.0
"""In heights of the caption's row: farthest from the caption to what it belongs to."""


def join_captions(page: PageState, tools: PageTools) -> None:
    """Join the zones of one row that together caption the table below or the figure above.

    Reads: zones.
    Changes: zones.
    """
    page.zones = joined_captions(page.zones)


def joined_captions(zones: Sequence[Zone]) -> list[Zone]:
    """The zones in their order.

    Those of one row that together caption the table below, or the figure above, are one caption at the place of the
    first.
    """
    pieces = [i for i, zone in enumerate(zones) if zone.label in _PIECES and len(merge_rows(zone.lines)) == 1]
    joined = list(zones)
    gone: set[int] = set()
    for row in rows([zones[i].bbox for i in pieces], pieces):
        caption = _caption([zones[i] for i in row], zones)
        if caption is not None:
            first, *others = sorted(row)
            joined[first] = caption
            gone.update(others)
    return [zone for i, zone in enumerate(joined) if i not in gone]


def _caption(parts: Sequence[Zone], zones: Sequence[Zone]) -> Zone | None:
    lines = [line for part in parts for line in part.lines]
    if len(parts) < 2 or not _OPENING.match(merge_rows(lines)[0].text):
        return None
    box = box_around(lines)
    for owner in zones:
        if owner.label not in (Label.TABLE, Label.FIGURE):
            continue
        gap = owner.bbox.y0 - box.y1 if owner.label is Label.TABLE else box.y0 - owner.bbox.y1
        slack = box.height
        within = box.x0 > owner.bbox.x0 - slack and box.x1 < owner.bbox.x1 + slack
        if within and -box.height < gap < REACH * box.height:
            return replace(parts[0], label=Label.CAPTION, bbox=box, lines=lines, rowwise=False)
    return None
