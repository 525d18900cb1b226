"""Pass: entries of a table of contents, each made one line of its words, its leader and its page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from galley.drafters.line import TextLine
from galley.geometry import rows
from galley.parsing.lines.merge import merge_pieces
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

LEAST_ENTRIES = 3
"""Entries of a page that are a table of contents."""
LEAST_RISING = 0.8
"""Share of the entries whose page is not before that of the one above."""
SAME_EDGE = 0.7
"""In heights of a line: how far the right edges of page numbers differ."""
_PAGE = r"(\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7}|[A-Z]{1,2}[-.]\d{1,3}|\d{1,2}-\d{1,3})"
_ENTRY = re.compile(
    rf"(?P<words>\S.*?\S|\S)\s*(?:(?:\.\s?){{4,}}|(?:…\s?){{2,}}|(?:[·•]\s?){{4,}}|_{{4,}})\s*(?P<page>{_PAGE})"
)
_PAGE_ALONE = re.compile(_PAGE)
_TITLE = re.compile(
    r"(table of )?contents|inhalt(sverzeichnis)?|table des mati[eè]res|sommaire|[ií]ndice( general| generale)?"
    r"|contenido|sommario|sum[aá]rio|inhoud(sopgave)?|spis tre[sś]ci|obsah|inneh[aå]ll(sf[oö]rteckning)?"
    r"|содержание|оглавление|目次|目录|目錄",
    re.IGNORECASE,
)


def join_contents_entries(page: PageState, tools: PageTools) -> None:
    """Join the pieces of each entry of a table of contents, and mark it as one.

    Leaders tell entries; without any, pages at one right edge below a title that says what follows.

    Reads: lines.
    Changes: lines.
    """
    page.lines = joined_contents(page.lines)


def joined_contents(lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines in their order; the pieces of an entry are one line at the place of its first piece."""
    level = rows([line.bbox for line in lines])
    found = _with_leaders(lines, level) or _below_title(lines, level)
    pages = [_value(entry.text.split()[-1]) for _, entry in found]
    known = [page for page in pages if page is not None]
    rising = sum(a <= b for a, b in pairwise(known))
    if len(found) < LEAST_ENTRIES or rising < LEAST_RISING * (len(known) - 1):
        return list(lines)
    whole = {min(pieces): entry for pieces, entry in found}
    gone = {i for pieces, _ in found for i in pieces}
    return [whole.get(i, line) for i, line in enumerate(lines) if i not in gone or i in whole]


def _with_leaders(
    lines: Sequence[TextLine], level: Sequence[Sequence[int]]
) -> list[tuple[list[int], TextLine]]:
    """Entries with leaders: the indices of the pieces, and the whole line."""
    found = []
    for row in level:
        pieces: list[int] = []
        for i in row:
            pieces.append(i)
            match = _ENTRY.fullmatch(" ".join(lines[n].text.strip() for n in pieces))
            if match and any(map(str.isalpha, match["words"])):
                line = merge_pieces([lines[n] for n in pieces])
                found.append((pieces, replace(line, entry=True)))
                pieces = []
    return found


def _below_title(
    lines: Sequence[TextLine], level: Sequence[Sequence[int]]
) -> list[tuple[list[int], TextLine]]:
    """Entries of words and a page far to the right, below a line that announces them."""
    tops = [line.bbox.y1 for line in lines if _TITLE.fullmatch(line.text.strip(" :"))]
    if not tops:
        return []
    pairs = [
        row
        for row in level
        if len(row) == 2
        and lines[row[0]].bbox.y0 > min(tops)
        and _PAGE_ALONE.fullmatch(lines[row[1]].text.strip())
        and any(map(str.isalpha, lines[row[0]].text))
    ]
    edge = max((lines[row[1]].bbox.x1 for row in pairs), default=0.0)
    return [
        (list(row), replace(merge_pieces([lines[i] for i in row]), entry=True))
        for row in pairs
        if edge - lines[row[1]].bbox.x1 < SAME_EDGE * lines[row[1]].bbox.height
    ]


def _value(page: str) -> int | None:
    """A page as a number; None for one that is not written in figures alone."""
    return int(page) if page.isdigit() else None
