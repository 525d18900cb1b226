"""Running headers and footers: short text that stands at the same place of neighbouring pages."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from galley.document import Block, Document, Label, Page
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


def mark_recurring(document: Document) -> None:
    """Label what recurs in the margins of pages at most two apart as header, footer or page number, in place.

    The first page keeps its letterhead even when it recurs: there it is content, unless the page has a
    heading set larger, which is what opens the document. Headers then come first in their page.
    """
    edges = [_edges(page) for page in document.pages]
    kept = (
        {id(block) for block, label in edges[0] if _opens(block, label, document.pages[0])}
        if edges
        else set()
    )
    hits: list[tuple[Block, Label]] = []
    for p, page in enumerate(document.pages):
        near = [q for q in range(p - _REACH, p + _REACH + 1) if q != p and 0 <= q < len(edges)]
        for block, label in edges[p]:
            twins = [(other, document.pages[q]) for q in near for other, edge in edges[q] if edge is label]
            if id(block) not in kept and any(_same(block, page, other, there) for other, there in twins):
                hits.append((block, label))
    for block, label in hits:
        block.label = Label.PAGE_NUMBER if is_page_number(block.content) else label
        block.level = None
    for page in document.pages:
        page.blocks.sort(key=lambda block: block.label is not Label.HEADER)


def _edges(page: Page) -> list[tuple[Block, Label]]:
    """Short text in the margins, each with what it would be."""
    limit = MARGIN * page.height
    found = []
    for block in page.blocks:
        if block.label not in _TEXTLIKE or not 0 < len(block.content) <= _MOST_CHARS:
            continue
        if block.bbox.y1 < limit:
            found.append((block, Label.HEADER))
        elif block.bbox.y0 > page.height - limit:
            found.append((block, Label.FOOTER))
    return found


def _opens(block: Block, label: Label, page: Page) -> bool:
    """Whether a block in the top margin of the first page is what the document begins with."""
    if label is not Label.HEADER or is_page_number(block.content):
        return False
    larger = _LARGER * type_size(block)
    return block.label in _HEADINGS or not any(
        other.label in _HEADINGS and type_size(other) > larger for other in page.blocks
    )


def _same(block: Block, page: Page, other: Block, there: Page) -> bool:
    place = block.bbox.center[1] / max(1, page.height) - other.bbox.center[1] / max(1, there.height)
    if abs(place) > _SAME_PLACE:
        return False
    if block.content == other.content:
        return True
    # "Lecture 2" after "Lecture 1" is a heading: its number is what it says.
    if {block.label, other.label} & _HEADINGS:
        return False
    a, b = _DIGITS.sub("#", block.content.lower()), _DIGITS.sub("#", other.content.lower())
    return a == b or SequenceMatcher(None, a, b, autojunk=False).ratio() >= _ALIKE
