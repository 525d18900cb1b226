"""Tables of an output as rows of cells with the headings that belong to each row and column.

The rules are those of the released benchmark, version 0.4: a cell over several columns takes one place in its
row but counts with its full width where headings are looked up, and a heading over several columns counts for
every column from its first on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

_MAX_SPAN = 1000


@dataclass
class Grid:
    """``rows`` are equally long. Headings by row and by column number; header rows and columns by number."""

    rows: list[list[str]]
    header_rows: set[int] = field(default_factory=set)
    header_columns: set[int] = field(default_factory=set)
    row_headings: dict[int, list[str]] = field(default_factory=dict)
    column_headings: dict[int, list[str]] = field(default_factory=dict)


def grids(markdown: str, *, pipes: bool = True) -> list[Grid]:
    """Every HTML table and, with ``pipes``, every pipe table before them."""
    return [*(_pipe_tables(markdown) if pipes else ()), *_html_tables(markdown)]


def _pipe_tables(markdown: str) -> Iterator[Grid]:
    """Runs of two or more lines that hold a pipe; the first row and the first column are headings."""
    run: list[str] = []
    for line in [*markdown.strip().split("\n"), ""]:
        if "|" in line:
            run.append(line)
            continue
        rows = [cells for cells in map(_pipe_cells, run) if cells] if len(run) > 1 else []
        run = []
        if rows:
            rows = _padded(rows)
            columns = {column: [text] for column, text in enumerate(rows[0])}
            yield Grid(rows, {0}, {0}, {i: [row[0]] for i, row in enumerate(rows) if i}, columns)


def _pipe_cells(line: str) -> list[str]:
    if all(character in "- :|" for character in line):
        return []
    cells = [cell.strip() for cell in line.split("|")]
    cells = cells[1:] if cells[0] == "" else cells
    return cells[:-1] if cells and cells[-1] == "" else cells


def _html_tables(markdown: str) -> Iterator[Grid]:
    for table in BeautifulSoup(markdown, "html.parser").find_all("table"):
        rows = table.find_all("tr")
        if rows:
            yield _HtmlTable(rows).read(table.find("thead"))


class _HtmlTable:
    def __init__(self, rows: list[Tag]) -> None:
        self._tags = rows
        self._rows: list[list[str]] = []
        self._filled: dict[tuple[int, int], str] = {}
        self._header_rows: set[int] = set()
        self._header_columns: set[int] = set()
        self._row_headings: dict[int, list[str]] = defaultdict(list)
        self._column_headings: dict[int, list[str]] = defaultdict(list)
        self._wide: dict[str, int] = {}
        self._tall: dict[str, set[int]] = defaultdict(set)

    def read(self, head: Tag | None) -> Grid:
        for number, row in enumerate(self._tags):
            if row.find("th") or (head is not None and head in row.parents):
                self._header_rows.add(number)
            self._rows.append(self._row(number, row))
        self._spread_headings()
        return Grid(
            _padded(self._rows),
            self._header_rows,
            self._header_columns,
            dict(self._row_headings),
            dict(self._column_headings),
        )

    def _row(self, number: int, row: Tag) -> list[str]:
        texts: list[str] = []
        column = 0
        for cell in row.find_all(["th", "td"]):
            while (number, column) in self._filled:
                texts.append(self._filled[number, column])
                column += 1
            texts.append(_text(cell))
            height, width = _span(cell, "rowspan"), _span(cell, "colspan")
            for down in range(height):
                for right in range(width):
                    if down or right:
                        self._filled[number + down, column + right] = "" if right else texts[-1]
            self._note_headings(cell.name, texts[-1], (number, column), (height, width))
            column += width
        return texts

    def _note_headings(self, tag: str, text: str, place: tuple[int, int], size: tuple[int, int]) -> None:
        (row, column), (height, width) = place, size
        below = [number for number in range(row + 1, row + height) if number < len(self._tags)]
        if tag == "th":
            self._header_rows.update(below)
            for covered in range(column, column + width):
                self._header_columns.add(covered)
                self._column_headings[covered].append(text)
            if text and width > 1:
                self._wide[text] = min(column, self._wide.get(text, column))
            if text and height > 1:
                self._tall[text].update(range(row, row + height))
        elif column in self._header_columns:
            for number in below:
                self._row_headings[number].append(text)

    def _spread_headings(self) -> None:
        widest = max((len(row) for n, row in enumerate(self._rows) if n not in self._header_rows), default=0)
        for text, first in self._wide.items():
            for column in range(first, widest):
                _add(self._column_headings[column], text)
        for text, numbers in self._tall.items():
            for number in numbers:
                _add(self._row_headings[number], text)
        for column in self._header_columns:
            for number, row in enumerate(self._rows):
                if column < len(row) and row[column].strip():
                    _add(self._row_headings[number], row[column])


def _add(headings: list[str], text: str) -> None:
    if text not in headings:
        headings.append(text)


def _text(cell: Tag) -> str:
    for line_break in cell.find_all("br"):
        line_break.replace_with("\n")
    return cell.get_text().strip()


def _span(cell: Tag, name: str) -> int:
    try:
        return max(0, min(int(str(cell.get(name) or 1)), _MAX_SPAN))
    except ValueError:
        return 1


def _padded(rows: list[list[str]]) -> list[list[str]]:
    width = max(map(len, rows))
    return [row + [""] * (width - len(row)) for row in rows]
