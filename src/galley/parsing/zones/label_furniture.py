"""Pass: running headers and footers and page numbers of one page.

Exports leave furniture out, so taking text for furniture loses it to the reader: a detector's word alone
is not enough. On a single page it takes a page number at the page's edge, and for a header or footer one
beside it. What recurs on other pages is found when the whole document is known (``label_recurring_furniture``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.document import Label
from galley.geometry import rows
from galley.parsing.lines.merge import merge_rows
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.text.markers import is_page_number

# Parts of the page's height:
MARGIN = 0.12
"""Where furniture stands, from either edge."""
NUMBER_MARGIN = 0.2
"""Where a page number may stand when it is well set apart."""
# In heights of the row's tallest zone:
NUMBER_SET_APART = 1.5
"""White space to the nearest text of a page number that stands outside the margin."""
TITLE_SET_APART = 0.7
"""White space to the nearest text of a last row whose page number makes the rest a running title."""
# Counts:
MOST_ROWS = 2
"""Rows of one piece of furniture."""
DEEPEST = 3
"""Rows of furniture that one margin may hold."""
PROSE_CHARS = 20
"""Characters of a line of running text, on average; shorter ones are labels."""
_TEXTLIKE = (Label.TEXT, Label.TITLE, Label.CAPTION, Label.REFERENCE, Label.HEADER, Label.FOOTER)
_AS_FOOTER = dict.fromkeys((Label.TEXT, Label.TITLE, Label.CAPTION, Label.REFERENCE), Label.FOOTER)


def label_furniture(page: PageState, tools: PageTools) -> None:
    """Label page numbers, and headers and footers that stand beside one; make text of others that the detector saw.

    Reads: image, zones.
    Changes: zones.
    """
    page.zones = with_furniture(page.zones, page.height)


def with_furniture(zones: Sequence[Zone], height: int) -> list[Zone]:
    """The zones in their order, furniture labelled. A row of pieces in a margin becomes a zone each.

    Args:
        zones: Those of one page.
        height: Of the page in pixels.
    """
    zones = [piece for zone in zones for piece in _parted(zone, height)]
    marked = [_as_text(zone) for zone in zones]
    for top in (True, False):
        _mark_edge(zones, marked, height, top)
    return marked


def _parted(zone: Zone, height: int) -> list[Zone]:
    """A row of pieces in a margin as a zone each: one may be the page number."""
    in_margin = zone.bbox.y1 < MARGIN * height or zone.bbox.y0 > (1 - MARGIN) * height
    if not (in_margin and zone.rowwise and zone.label is Label.TEXT and len(merge_rows(zone.lines)) == 1):
        return [zone]
    return [replace(zone, bbox=line.bbox, lines=[line], rowwise=False) for line in zone.lines]


def _as_text(zone: Zone) -> Zone:
    """What the detector took for a header or footer counts as text until there is evidence."""
    return replace(zone, label=Label.TEXT) if zone.label in (Label.HEADER, Label.FOOTER) else zone


def _mark_edge(zones: Sequence[Zone], marked: list[Zone], height: int, top: bool) -> None:
    """Label the rows of furniture at one edge: from the outermost row to the one that holds a page number.

    A row between the edge and the page number must be furniture to the detector as well.
    """
    found = _text_rows(zones, top)
    if len(found) < 2:
        return
    for depth, edge in enumerate(found[:DEEPEST]):
        rest = [i for row in found[depth + 1 :] for i in row]
        if not _at_edge(zones, edge, rest, height, top, outermost=depth == 0):
            return
        if any(is_page_number(_text(zones[i])) for i in edge):
            furniture = [i for row in found[: depth + 1] for i in row]
            if any(_is_prose(zone) for i, zone in enumerate(zones) if i not in furniture):
                _relabel(zones, marked, furniture, Label.HEADER if top else Label.FOOTER)
                if not top and _beside_number(zones, edge, rest):
                    for i in edge:
                        marked[i] = replace(marked[i], label=_AS_FOOTER.get(marked[i].label, marked[i].label))
            return
        if not all(zones[i].label in (Label.HEADER, Label.FOOTER) for i in edge):
            return


def _beside_number(zones: Sequence[Zone], edge: Sequence[int], rest: Sequence[int]) -> bool:
    """Whether the page number is at an end of the last row of the page, which stands apart.

    What is beside it is the running title.
    """
    ends = (edge[0], edge[-1])
    tallest = max(zone.bbox.height for zone in _at(zones, edge))
    return any(is_page_number(_text(zones[i])) for i in ends) and (
        _distance(zones, edge, rest, top=False) > TITLE_SET_APART * tallest
    )


def _relabel(zones: Sequence[Zone], marked: list[Zone], furniture: Sequence[int], label: Label) -> None:
    for i in furniture:
        if is_page_number(_text(zones[i])):
            marked[i] = replace(zones[i], label=Label.PAGE_NUMBER)
        elif zones[i].label in (Label.HEADER, Label.FOOTER):
            marked[i] = replace(zones[i], label=label)


def _text_rows(zones: Sequence[Zone], top: bool) -> list[list[int]]:
    """Indices of the zones that hold text, row by row from one edge inwards."""
    candidates = [i for i, zone in enumerate(zones) if zone.lines and zone.label is not Label.ASIDE]
    found = rows([zones[i].bbox for i in candidates], candidates)
    return found if top else found[::-1]


def _at_edge(
    zones: Sequence[Zone],
    edge: Sequence[int],
    rest: Sequence[int],
    height: int,
    top: bool,
    *,
    outermost: bool,
) -> bool:
    """Whether a row stands in the margin; the outermost one may stand further in when well set apart."""
    if _within(zones, edge, MARGIN * height, height, top):
        return True
    tallest = max(zone.bbox.height for zone in _at(zones, edge))
    apart = _distance(zones, edge, rest, top) > NUMBER_SET_APART * tallest
    return (
        outermost and len(edge) == 1 and apart and _within(zones, edge, NUMBER_MARGIN * height, height, top)
    )


def _within(zones: Sequence[Zone], edge: Sequence[int], limit: float, height: int, top: bool) -> bool:
    """Whether the zones are short text that lies within ``limit`` pixels of the page's edge."""

    def fits(zone: Zone) -> bool:
        inside = zone.bbox.y1 < limit if top else zone.bbox.y0 > height - limit
        return inside and zone.label in _TEXTLIKE and len(merge_rows(zone.lines)) <= MOST_ROWS

    return bool(edge) and all(fits(zone) for zone in _at(zones, edge))


def _distance(zones: Sequence[Zone], edge: Sequence[int], rest: Sequence[int], top: bool) -> float:
    """White space in pixels between the outermost row and the nearest other text."""
    near, far = _at(zones, edge), _at(zones, rest)
    if not near or not far:
        return 0.0
    if top:
        return min(zone.bbox.y0 for zone in far) - max(zone.bbox.y1 for zone in near)
    return min(zone.bbox.y0 for zone in near) - max(zone.bbox.y1 for zone in far)


def _at(zones: Sequence[Zone], indices: Sequence[int]) -> list[Zone]:
    return [zones[i] for i in indices]


def _is_prose(zone: Zone) -> bool:
    """Running text: more than one line, most of them longer than labels."""
    return len(zone.lines) > 1 and float(np.mean([len(line.text) for line in zone.lines])) >= PROSE_CHARS


def _text(zone: Zone) -> str:
    return " ".join(line.text for line in zone.lines)
