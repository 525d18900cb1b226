"""Adjacency relations of table cells: which text stands next to which, to the right and below.

Göbel et al. 2012, "A methodology for evaluating algorithms for table understanding in PDF documents".
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lxml import html

MAX_SPAN = 1000
_TABLE = re.compile(r"<table.*?</table>", re.S | re.I)
_PIPE_ROW = re.compile(r"\s*\|.*\|\s*")
_PIPE = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"(:?-+:?)?")
_MARKUP = re.compile(r"</?su[bp]>|<br\s*/?>|\*\*|\\")


class Relation(NamedTuple):
    """Two neighbouring texts in compared form; ``direction`` is ``h`` (beside) or ``v`` (below)."""

    text: str
    neighbour: str
    direction: str


@dataclass(frozen=True)
class Cell:
    """A cell's text and the first and last row and column it covers, counted from 0."""

    text: str
    top: int
    left: int
    bottom: int
    right: int


def compared(text: str) -> str:
    """Text as it is compared: letters and digits in lower case, no white space and punctuation."""
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", _MARKUP.sub("", text)).lower())


def document_relations(markdown: str) -> Counter[Relation]:
    """The relations of every HTML and pipe table of a document, pooled."""
    pooled: Counter[Relation] = Counter()
    for cells in markdown_tables(markdown):
        pooled += relations(cells)
    return pooled


def relations(cells: Iterable[Cell]) -> Counter[Relation]:
    """The neighbours of each cell that is not blank.

    A neighbour is the nearest such cell to the right or below. A cell has one for each row and column it
    covers; each pair counts once.
    """
    filled = [cell for cell in cells if compared(cell.text)]
    slots = {(row, column): index for index, cell in enumerate(filled) for row, column in _slots(cell)}
    rows = 1 + max((cell.bottom for cell in filled), default=-1)
    columns = 1 + max((cell.right for cell in filled), default=-1)
    pairs = set()
    for index, cell in enumerate(filled):
        for row in range(cell.top, cell.bottom + 1):
            beside = (slots.get((row, column)) for column in range(cell.right + 1, columns))
            pairs.add((index, _first(beside), "h"))
        for column in range(cell.left, cell.right + 1):
            below = (slots.get((row, column)) for row in range(cell.bottom + 1, rows))
            pairs.add((index, _first(below), "v"))
    texts = [compared(cell.text) for cell in filled]
    return Counter(Relation(texts[one], texts[other], way) for one, other, way in pairs if other is not None)


def _slots(cell: Cell) -> Iterator[tuple[int, int]]:
    for row in range(cell.top, cell.bottom + 1):
        for column in range(cell.left, cell.right + 1):
            yield row, column


def _first(found: Iterator[int | None]) -> int | None:
    return next((index for index in found if index is not None), None)


def markdown_tables(markdown: str) -> Iterator[list[Cell]]:
    """The cells of every table: HTML tables first, then runs of pipe rows."""
    for match in _TABLE.finditer(markdown):
        yield _html_cells(match.group())
    rows: list[list[str]] = []
    for line in [*_TABLE.sub("\n", markdown).splitlines(), ""]:
        if _PIPE_ROW.fullmatch(line):
            rows.append([cell.strip() for cell in _PIPE.split(line.strip()[1:-1])])
        elif rows:
            yield _pipe_cells(rows)
            rows = []


def _html_cells(table: str) -> list[Cell]:
    taken: set[tuple[int, int]] = set()
    cells = []
    for top, row in enumerate(html.fromstring(table).iter("tr")):
        left = 0
        for element in row.iterchildren("td", "th"):
            while (top, left) in taken:
                left += 1
            text = " ".join(element.itertext())
            bottom, right = top + _span(element, "rowspan") - 1, left + _span(element, "colspan") - 1
            cell = Cell(text, top, left, bottom, right)
            taken.update(_slots(cell))
            cells.append(cell)
            left = right + 1
    return cells


def _span(element: html.HtmlElement, name: str) -> int:
    digits = re.sub(r"\D", "", element.get(name, ""))
    return min(int(digits or 1), MAX_SPAN)


def _pipe_cells(rows: list[list[str]]) -> list[Cell]:
    kept = [row for row in rows if not any(row) or not all(map(_RULE.fullmatch, row))]
    return [Cell(text, top, left, top, left) for top, row in enumerate(kept) for left, text in enumerate(row)]
