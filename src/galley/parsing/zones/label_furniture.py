"""Page furniture: running headers and footers, page numbers, footnotes.

Exports leave furniture out, so taking text for furniture loses it to the reader: a detector's word alone
is not enough. On a single page it takes a page number at the page's edge, and for a header or footer one
beside it. What recurs on other pages is found when the whole document is known (``recurring``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.document import Label
from galley.layout.order import rows
from galley.parsing.blocks.paragraphs import merge_rows
from galley.parsing.lines.measure_body_text import size_of
from galley.parsing.text.markers import is_page_number
from galley.parsing.zones.zone import Zone

# Part of the page's height where furniture stands; a page number may stand further in when well set apart.
MARGIN = 0.12
_NUMBER_MARGIN = 0.2
_SET_APART = 1.5
_APART = 0.7
_SMALL = 0.9
_MOST_ROWS = 2
# Rows of furniture that one margin may hold.
_DEEPEST = 3
_TEXTLIKE = (Label.TEXT, Label.TITLE, Label.CAPTION, Label.REFERENCE, Label.HEADER, Label.FOOTER)
_FOOT = dict.fromkeys((Label.TEXT, Label.TITLE, Label.CAPTION, Label.REFERENCE), Label.FOOTER)
_NOTE_MARK = re.compile(r"^\s*(?:[*∗†‡§¶]{1,3}|\(?\d{1,3}\)?(?!\d)|\[\d{1,3}\]|[a-z]\)?|[¹²³⁴-⁹]+)\s*\S")
_WORD = re.compile(r"[^\W\d_]{2,}")


def mark_furniture(zones: Sequence[Zone], height: int, body: float) -> list[Zone]:
    """The zones, in their order, with page numbers, their neighbours and footnotes labelled, and wrong
    labels undone.

    height: of the page in pixels; body: type size of its running text in pixels.
    """
    zones = [piece for zone in zones for piece in _apart(zone, height)]
    marked = [_plain(zone) for zone in zones]
    for top in (True, False):
        _mark_edge(zones, marked, height, top)
    _mark_footnotes(marked, height, body)
    return marked


def _apart(zone: Zone, height: int) -> list[Zone]:
    """A row of pieces in a margin as a zone each: one may be the page number."""
    in_margin = zone.bbox.y1 < MARGIN * height or zone.bbox.y0 > (1 - MARGIN) * height
    if not (in_margin and zone.rowwise and zone.label is Label.TEXT and len(merge_rows(zone.lines)) == 1):
        return [zone]
    return [replace(zone, bbox=line.bbox, lines=[line], rowwise=False) for line in zone.lines]


def _plain(zone: Zone) -> Zone:
    """What the detector took for a header or footer counts as text until there is evidence."""
    return replace(zone, label=Label.TEXT) if zone.label in (Label.HEADER, Label.FOOTER) else zone


def _mark_edge(zones: Sequence[Zone], marked: list[Zone], height: int, top: bool) -> None:
    """Label the rows of furniture at one edge: from the outermost row to the one that holds a page number.

    A row between the edge and the page number must be furniture to the detector as well.
    """
    found = _text_rows(zones, top)
    if len(found) < 2:
        return
    for depth, edge in enumerate(found[:_DEEPEST]):
        rest = [i for row in found[depth + 1 :] for i in row]
        if not _at_edge(zones, edge, rest, height, top, outermost=depth == 0):
            return
        if any(is_page_number(_text(zones[i])) for i in edge):
            furniture = [i for row in found[: depth + 1] for i in row]
            if any(_prose(zone) for i, zone in enumerate(zones) if i not in furniture):
                _label(zones, marked, furniture, Label.HEADER if top else Label.FOOTER)
                if not top and _beside_number(zones, edge, rest):
                    for i in edge:
                        marked[i] = replace(marked[i], label=_FOOT.get(marked[i].label, marked[i].label))
            return
        if not all(zones[i].label in (Label.HEADER, Label.FOOTER) for i in edge):
            return


def _beside_number(zones: Sequence[Zone], edge: Sequence[int], rest: Sequence[int]) -> bool:
    """Whether the page number is at an end of the last row of the page, which stands apart: what is beside it is the
    running title."""
    ends = (edge[0], edge[-1])
    tallest = max(zone.bbox.height for zone in _at(zones, edge))
    return any(is_page_number(_text(zones[i])) for i in ends) and (
        _distance(zones, edge, rest, top=False) > _APART * tallest
    )


def _label(zones: Sequence[Zone], marked: list[Zone], furniture: Sequence[int], label: Label) -> None:
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
    apart = _distance(zones, edge, rest, top) > _SET_APART * tallest
    return (
        outermost and len(edge) == 1 and apart and _within(zones, edge, _NUMBER_MARGIN * height, height, top)
    )


def _within(zones: Sequence[Zone], edge: Sequence[int], limit: float, height: int, top: bool) -> bool:
    """Whether the zones are short text that lies within ``limit`` pixels of the page's edge."""

    def fits(zone: Zone) -> bool:
        inside = zone.bbox.y1 < limit if top else zone.bbox.y0 > height - limit
        return inside and zone.label in _TEXTLIKE and len(merge_rows(zone.lines)) <= _MOST_ROWS

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


def _prose(zone: Zone) -> bool:
    """Running text: more than one line, most of them longer than labels."""
    return len(zone.lines) > 1 and float(np.mean([len(line.text) for line in zone.lines])) >= 20


def _mark_footnotes(zones: list[Zone], height: int, body: float) -> None:
    """Small type that opens with a mark, in the lower part of the page, with no larger text below it in
    its column.
    """
    notes: list[int] = []
    for i in sorted(range(len(zones)), key=lambda i: -zones[i].bbox.y0):
        zone = zones[i]
        if zone.label not in (Label.TEXT, Label.REFERENCE, Label.CAPTION) or zone.rowwise or not zone.lines:
            continue
        below = [j for j in range(len(zones)) if j != i and _below(zones[j], zone)]
        last = all(j in notes or zones[j].label in (Label.FOOTER, Label.PAGE_NUMBER) for j in below)
        small = float(np.median([size_of(line) for line in zone.lines])) < _SMALL * body
        if last and small and zone.bbox.y0 > 0.5 * height and _is_note(_text(zone)):
            notes.append(i)
    for i in notes:
        zones[i] = replace(zones[i], label=Label.FOOTNOTE)


def _is_note(text: str) -> bool:
    """A mark and words: ``93`` and ``3HE 19220 AAAB`` are a page's number and a document's."""
    return bool(_NOTE_MARK.match(text)) and any(not word.isupper() for word in _WORD.findall(text))


def _below(other: Zone, zone: Zone) -> bool:
    shared = min(other.bbox.x1, zone.bbox.x1) - max(other.bbox.x0, zone.bbox.x0)
    return other.bbox.center[1] > zone.bbox.y1 and shared > 0


def _text(zone: Zone) -> str:
    return " ".join(line.text for line in zone.lines)
