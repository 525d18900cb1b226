"""Running headers and footers: short text that stands at the same place of neighbouring pages."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from galley.document import Block, Label, Page
from galley.parsing.furniture import MARGIN
from galley.parsing.levels import type_size
from galley.parsing.markers import is_page_number

# Headers may alternate between left and right pages.
_REACH = 2
_SAME_PLACE = 0.02
_ALIKE = 0.85
_MOST_CHARS = 200
_LARGER = 1.2
_TEXTLIKE = (Label.TEXT, Label.HEADING, Label.TITLE, Label.CAPTION, Label.REFERENCE, Label.LIST_ITEM)
_HEADINGS = {Label.HEADING, Label.TITLE}
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")


@dataclass(frozen=True)
class _Edge:
    """Short text in a margin: what it would be, whether it is a heading so far, and how far down its middle stands
    as a part of the page's height."""

    block: Block
    becomes: Label
    heading: bool
    place: float


def mark_recurring(pages: Iterable[Page]) -> Iterator[Page]:
    """The pages, with what recurs in the margins of pages at most two apart labelled as header, footer or page
    number, in place.

    The first page keeps its letterhead even when it recurs: there it is content, unless the page has a
    heading set larger, which is what opens the document. Headers then come first in their page.
    """
    source = iter(pages)
    behind: deque[list[_Edge]] = deque(maxlen=_REACH)
    ahead: deque[tuple[Page, list[_Edge]]] = deque()
    first = True
    while True:
        while len(ahead) <= _REACH and (page := next(source, None)) is not None:
            ahead.append((page, _edges(page)))
        if not ahead:
            return
        page, edges = ahead.popleft()
        near = [edge for found in (*behind, *(edges for _, edges in ahead)) for edge in found]
        for edge in edges:
            if any(_same(edge, other) for other in near) and not (first and _opens(edge, page)):
                edge.block.label = Label.PAGE_NUMBER if is_page_number(edge.block.content) else edge.becomes
                edge.block.level = None
        page.blocks.sort(key=lambda block: block.label is not Label.HEADER)
        behind.append(edges)
        first = False
        yield page


def _edges(page: Page) -> list[_Edge]:
    limit = MARGIN * page.height
    found = []
    for block in page.blocks:
        if block.label not in _TEXTLIKE or not 0 < len(block.content) <= _MOST_CHARS:
            continue
        place = block.bbox.center[1] / max(1, page.height)
        if block.bbox.y1 < limit:
            found.append(_Edge(block, Label.HEADER, block.label in _HEADINGS, place))
        elif block.bbox.y0 > page.height - limit:
            found.append(_Edge(block, Label.FOOTER, block.label in _HEADINGS, place))
    return found


def _opens(edge: _Edge, page: Page) -> bool:
    """Whether a block in the top margin of the first page is what the document begins with."""
    if edge.becomes is not Label.HEADER or is_page_number(edge.block.content):
        return False
    larger = _LARGER * type_size(edge.block)
    return edge.heading or not any(
        other.label in _HEADINGS and type_size(other) > larger for other in page.blocks
    )


def _same(edge: _Edge, other: _Edge) -> bool:
    if edge.becomes is not other.becomes or abs(edge.place - other.place) > _SAME_PLACE:
        return False
    mine, its = edge.block.content, other.block.content
    if mine == its:
        return True
    # "Lecture 2" after "Lecture 1" is a heading: its number is what it says.
    if edge.heading or other.heading:
        return False
    a, b = _DIGITS.sub("#", mine.lower()), _DIGITS.sub("#", its.lower())
    return a == b or SequenceMatcher(None, a, b, autojunk=False).ratio() >= _ALIKE
