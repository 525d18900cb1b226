"""Pass: running headers and footers: short text that stands at the same place of neighbouring pages.

Exports leave them out, so that what only looks alike must stay: a number that differs is the page's own only if it
counts with the pages and nothing says what else it counts.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from galley.document import Block, Label, Page
from galley.parsing.document.state import DocumentState, type_size
from galley.parsing.text.markers import is_page_number
from galley.parsing.zones.label_furniture import MARGIN

REACH = 2
"""Pages between two that share furniture: headers may alternate between left and right pages."""
SAME_PLACE = 0.02
"""Part of the page's height by which the places of one piece of furniture differ."""
LEAST_SIMILARITY = 0.85
"""Of two texts, 0 to 1, that are the same but for a letter misread."""
MOST_CHARS = 200
"""Characters of furniture."""
LARGER = 1.2
"""Ratio of type sizes from which on another heading, not the letterhead, opens the document."""
MOST_DIGITS = 4
"""Digits of a page number."""
_TEXTLIKE = (Label.TEXT, Label.HEADING, Label.TITLE, Label.CAPTION, Label.REFERENCE, Label.LIST_ITEM)
_HEADINGS = {Label.HEADING, Label.TITLE}
_NUMBER = re.compile(r"\d+")
# Words before a number that a page number does not have.
_COUNTING = re.compile(
    r"(?:#|№|\b(?:n[or°º]|nos|num|number|invoice|order|ref|reference|id|account|total|chapter|section|part|lecture|unit"
    r"|lesson|exercise|question|table|figure|appendix|step|day|week|year|kapitel|teil|nummer|rechnung|chapitre|partie"
    r"|facture|num[ée]ro|cap[íi]tulo|parte|factura|hoofdstuk|deel)\b)[.:]?\s*$",
    re.IGNORECASE,
)
_PAGE_WORD = re.compile(
    r"\b(?:pages?|p|pp|pg|sheet|folio|seite|blatt|s|página|pagina|pág|feuille)\b[.:]?\s*$", re.IGNORECASE
)


@dataclass(frozen=True)
class _Edge:
    """Short text in a margin.

    Its page's number, what it would be, whether it is a heading so far, and how far down its middle stands as a part
    of the page's height.
    """

    page: int
    block: Block
    becomes: Label
    heading: bool
    place: float


def label_recurring_furniture(pages: Iterable[Page], document: DocumentState) -> Iterator[Page]:
    """Label what recurs in the margins of pages at most two apart as header, footer or page number.

    The first page keeps its letterhead even when it recurs: there it is content, unless the page has a heading set
    larger, which is what opens the document. Headers then come first in their page.

    Reads: label, content, bbox, lines.
    Changes: label, level, order.
    """
    source = iter(pages)
    behind: deque[list[_Edge]] = deque(maxlen=REACH)
    ahead: deque[tuple[Page, list[_Edge]]] = deque()
    first = True
    while True:
        while len(ahead) <= REACH and (page := next(source, None)) is not None:
            ahead.append((page, _edges(page)))
        if not ahead:
            return
        page, edges = ahead.popleft()
        near = [edge for found in (*behind, *(edges for _, edges in ahead)) for edge in found]
        for edge in edges:
            if edge.block.label is Label.PAGE_NUMBER:
                _keep_unless_it_counts(edge, near)
            elif any(_same(edge, other) for other in near) and not (first and _opens(edge, page)):
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
        if block.label not in (*_TEXTLIKE, Label.PAGE_NUMBER) or not 0 < len(block.content) <= MOST_CHARS:
            continue
        place = block.bbox.center[1] / max(1, page.height)
        if block.bbox.y1 < limit:
            found.append(_Edge(page.number, block, Label.HEADER, block.label in _HEADINGS, place))
        elif block.bbox.y0 > page.height - limit:
            found.append(_Edge(page.number, block, Label.FOOTER, block.label in _HEADINGS, place))
    return found


def _opens(edge: _Edge, page: Page) -> bool:
    """Whether a block in the top margin of the first page is what the document begins with."""
    if edge.becomes is not Label.HEADER or is_page_number(edge.block.content):
        return False
    larger = LARGER * type_size(edge.block)
    return edge.heading or not any(
        other.label in _HEADINGS and type_size(other) > larger for other in page.blocks
    )


def _same(edge: _Edge, other: _Edge) -> bool:
    if not _level(edge, other):
        return False
    mine, its = edge.block.content, other.block.content
    if mine == its:
        return True
    # "Lecture 2" after "Lecture 1" is a heading: its number is what it says.
    if edge.heading or other.heading or not _alike(mine, its):
        return False
    numbers, others = list(_NUMBER.finditer(mine)), list(_NUMBER.finditer(its))
    if len(numbers) != len(others):
        return False
    differing = [(a, int(b[0]) - int(a[0])) for a, b in zip(numbers, others, strict=True) if a[0] != b[0]]
    if len(differing) != 1:
        return not differing
    number, step = differing[0]
    return step == other.page - edge.page and _may_count_pages(mine, number)


def _level(edge: _Edge, other: _Edge) -> bool:
    return edge.becomes is other.becomes and abs(edge.place - other.place) <= SAME_PLACE


def _alike(mine: str, its: str) -> bool:
    a, b = _NUMBER.sub("#", mine.lower()), _NUMBER.sub("#", its.lower())
    return a == b or SequenceMatcher(None, a, b, autojunk=False).ratio() >= LEAST_SIMILARITY


def _may_count_pages(text: str, number: re.Match[str]) -> bool:
    """Whether a number that grows with the pages may be the page's.

    It opens or ends the text or follows a word for page, and no word says that it counts something else.
    """
    before, after = text[: number.start()], text[number.end() :]
    if len(number.group()) > MOST_DIGITS or _COUNTING.search(before):
        return False
    return (
        bool(_PAGE_WORD.search(before))
        or not any(map(str.isalnum, before))
        or not any(map(str.isalnum, after))
    )


def _keep_unless_it_counts(edge: _Edge, near: Sequence[_Edge]) -> None:
    """Make text again of a bare number at the page's edge where those of the pages around do not count the pages."""
    value = _NUMBER.fullmatch(edge.block.content.strip())
    others = [
        (other.page - edge.page, int(found.group()))
        for other in near
        if _level(edge, other) and (found := _NUMBER.fullmatch(other.block.content.strip()))
    ]
    if value and others and not any(number - int(value.group()) == step for step, number in others):
        edge.block.label = Label.TEXT
