"""Tables as models write them, HTML or OTSL, to ``Table`` and back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser

from galley.document import Cell, Table
from galley.document.table_html import table_html

_MOST = 1000
"""Rows or columns a cell may span; models in a loop write larger numbers."""
_OTSL = re.compile(r"<(fcel|ecel|lcel|ucel|xcel|ched|rhed|srow|nl)>")
_STYLE = re.compile(r"</?(?:thead|tbody)>")


@dataclass
class _Written:
    """A cell as written, before it has a place."""

    header: bool
    rowspan: int
    colspan: int
    text: str = ""


class _Rows(HTMLParser):
    """Collects the rows of the first table; forgives unclosed cells and rows."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[_Written]] = []
        self._cell: _Written | None = None
        self._done = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._done:
            return
        if tag == "tr":
            self.rows.append([])
            self._cell = None
        elif tag in ("td", "th"):
            values = dict(attrs)
            if not self.rows:
                self.rows.append([])
            self._cell = _Written(tag == "th", _span(values.get("rowspan")), _span(values.get("colspan")))
            self.rows[-1].append(self._cell)
        elif tag == "br" and self._cell is not None:
            self._cell.text += "\n"

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._cell = None
        self._done = self._done or tag == "table"

    def handle_data(self, data: str) -> None:
        if self._cell is not None and not self._done:
            self._cell.text += data


def _span(value: str | None) -> int:
    return min(_MOST, max(1, int(value))) if value and value.strip().isdigit() else 1


def read_html_table(markup: str) -> Table | None:
    """The first table of a piece of HTML; None where it has no cells."""
    parser = _Rows()
    parser.feed(markup)
    parser.close()
    return _placed([row for row in parser.rows if row])


def _placed(rows: list[list[_Written]]) -> Table | None:
    """Give cells their grid places as browsers do; spans end at the table's last row."""
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for r, row in enumerate(rows):
        c = 0
        for written in row:
            while (r, c) in taken:
                c += 1
            rowspan = min(written.rowspan, len(rows) - r)
            colspan = 1
            while colspan < written.colspan and (r, c + colspan) not in taken:
                colspan += 1
            taken.update((r + i, c + j) for i in range(rowspan) for j in range(colspan))
            text = "\n".join(" ".join(line.split()) for line in written.text.split("\n")).strip()
            cells.append(
                Cell(row=r, col=c, rowspan=rowspan, colspan=colspan, header=written.header, text=text)
            )
            c += colspan
    if not cells:
        return None
    return Table(rows=len(rows), cols=max(col for _, col in taken) + 1, cells=cells)


def read_otsl_table(markup: str) -> Table | None:
    """A table in OTSL; None where there are no cells.

    ``<fcel>`` is full, ``<ecel>`` empty, ``<lcel>``, ``<ucel>``, ``<xcel>`` joined to the cell on the left, above, or
    both; ``<nl>`` ends a row.
    """
    parts = _OTSL.split(markup)
    grid: list[list[tuple[str, str]]] = [[]]
    for mark, text in zip(parts[1::2], parts[2::2], strict=True):
        if mark == "nl":
            grid.append([])
        else:
            grid[-1].append((mark, " ".join(text.split())))
    grid = [row for row in grid if row]
    cells = [
        Cell(
            row=r,
            col=c,
            text=text,
            header=mark in ("ched", "rhed"),
            colspan=1 + _run(row[c + 1 :], ("lcel",)),
            rowspan=1 + _run([below[c] for below in grid[r + 1 :] if c < len(below)], ("ucel",)),
        )
        for r, row in enumerate(grid)
        for c, (mark, text) in enumerate(row)
        if mark not in ("lcel", "ucel", "xcel")
    ]
    if not cells:
        return None
    return Table(rows=len(grid), cols=max(cell.col + cell.colspan for cell in cells), cells=cells)


def _run(marks: list[tuple[str, str]], joined: tuple[str, ...]) -> int:
    count = 0
    while count < len(marks) and marks[count][0] in joined:
        count += 1
    return count


def as_plain_html(table: Table) -> str:
    """HTML as most reading models write it: rows straight in the table."""
    return _STYLE.sub("", table_html(table))


def as_otsl(table: Table) -> str:
    """The table in OTSL."""
    grid = [["<ecel>"] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        for r in range(cell.row, cell.row + cell.rowspan):
            for c in range(cell.col, cell.col + cell.colspan):
                down, right = r > cell.row, c > cell.col
                grid[r][c] = "<xcel>" if down and right else "<ucel>" if down else "<lcel>" if right else ""
        grid[cell.row][cell.col] = f"<fcel>{cell.text}" if cell.text else "<ecel>"
    return "".join("".join(row) + "<nl>" for row in grid)
