"""Corpus tables (HTML, CALS) as plain grids of text with spans and header rows, and invented spans."""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from lxml import etree, html

from galley.document import Cell, Table

MAX_CELL = 160
"""Characters; longer cells are prose laid out as a table."""


def corpus_tables(folder: Path, split: str) -> Iterator[Table]:
    """Tables of ``tables_html.jsonl.gz`` and ``tables_cals.jsonl.gz`` in ``folder``, those of one half.

    split: ``train`` or ``heldout``; a table's half follows from its own bytes, so the halves never mix.
    """
    for line in _lines(folder / "tables_html.jsonl.gz"):
        _, text = json.loads(line)
        if _half(text) == split and (table := _html_grid(text)):
            yield table
    for line in _lines(folder / "tables_cals.jsonl.gz"):
        text = json.loads(line)
        if _half(text) == split and (table := _cals_grid(text)):
            yield table


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from file


def _half(text: str) -> str:
    return "train" if zlib.crc32(text.encode()) % 2 else "heldout"


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("\xa0", " ")).strip()


def _html_grid(text: str) -> Table | None:
    root = html.fromstring(text)
    if root.findall(".//table") or root.findall(".//img"):
        return None
    rows = []
    for tr in root.iter("tr"):
        head = tr.getparent().tag == "thead" or all(cell.tag == "th" for cell in tr)
        rows.append([(_clean(c.text_content()), _span(c, "rowspan"), _span(c, "colspan"), head) for c in tr])
    return _place(rows)


def _span(cell: html.HtmlElement, name: str) -> int:
    value = cell.get(name, "1")
    return max(1, int(value)) if value.isdigit() else 1


def _cals_grid(text: str) -> Table | None:
    root = etree.fromstring(re.sub(r' xmlns="[^"]*"', "", text, count=1))
    group = root.find("tgroup")
    if group is None or root.findall(".//entrytbl"):
        return None
    names = {spec.get("colname"): i for i, spec in enumerate(group.findall("colspec"))}
    rows = []
    for row in group.iter("row"):
        head = row.getparent().tag == "thead"
        cells = []
        for entry in row.findall("entry"):
            first, last = names.get(entry.get("namest")), names.get(entry.get("nameend"))
            wide = last - first + 1 if first is not None and last is not None else 1
            tall = int(entry.get("morerows", "0")) + 1
            cells.append((_clean("".join(entry.itertext())), tall, max(1, wide), head))
        rows.append(cells)
    return _place(rows)


def _place(rows: list[list[tuple[str, int, int, bool]]]) -> Table | None:
    """Cells at their grid places, or None for a grid that is broken, tiny, huge, prose or has a column
    without text."""
    taken: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for r, row in enumerate(rows):
        c = 0
        for text, tall, wide, head in row:
            while (r, c) in taken:
                c += 1
            places = {(r + i, c + j) for i in range(tall) for j in range(wide)}
            if places & taken or r + tall > len(rows):
                return None
            taken |= places
            cells.append(Cell(row=r, col=c, text=text, rowspan=tall, colspan=wide, header=head))
            c += wide
    cols = max((c + 1 for _, c in taken), default=0)
    filled = sum(bool(cell.text) for cell in cells)
    used = {cell.col for cell in cells if cell.text}
    fits = 2 <= cols == len(used) <= 12 and 2 <= len(rows) <= 30 and len(taken) == cols * len(rows)
    if not fits or filled < 0.5 * len(cells) or max(len(cell.text) for cell in cells) > MAX_CELL:
        return None
    return Table(rows=len(rows), cols=cols, cells=cells)


def invent_spans(table: Table, rng: random.Random) -> Table:
    """The same table with a group header over some columns, or a group label down some rows, or neither."""
    if table.has_spans or table.cols < 3 or table.rows < 3:
        return table
    kind = rng.random()
    if kind < 0.35:
        return _group_header(table, rng)
    if kind < 0.55:
        return _group_rows(table, rng)
    return _section_row(table, rng) if kind < 0.65 else table


def _words(table: Table, rng: random.Random) -> str:
    words = [w for cell in table.cells for w in cell.text.split() if w.isalpha()] or ["Group"]
    return " ".join(rng.choice(words) for _ in range(rng.randint(1, 2))).capitalize()


def _group_header(table: Table, rng: random.Random) -> Table:
    first = rng.randint(1, table.cols - 2)
    width = rng.randint(2, table.cols - first)
    down = [cell.model_copy(update={"row": cell.row + 1}) for cell in table.cells]
    over = [Cell(row=0, col=first, text=_words(table, rng), colspan=width, header=True)]
    second = first + width
    if table.cols - second >= 2:
        over.append(
            Cell(row=0, col=second, text=_words(table, rng), colspan=table.cols - second, header=True)
        )
        second = table.cols
    tall = rng.random() < 0.5
    grouped = {c for cell in over for c in range(cell.col, cell.col + cell.colspan)}
    cells = []
    for cell in down:
        if cell.row == 1:
            cell = cell.model_copy(update={"header": True})
            if tall and cell.col not in grouped:
                cell = cell.model_copy(update={"row": 0, "rowspan": 2})
        cells.append(cell)
    alone = [] if tall else [Cell(row=0, col=c, header=True) for c in range(table.cols) if c not in grouped]
    return Table(rows=table.rows + 1, cols=table.cols, cells=[*over, *alone, *cells])


def _group_rows(table: Table, rng: random.Random) -> Table:
    right = [cell.model_copy(update={"col": cell.col + 1}) for cell in table.cells]
    left = [Cell(row=0, col=0, text=_words(table, rng), header=table.cells[0].header)]
    row = 1
    while row < table.rows:
        tall = min(rng.randint(2, 4), table.rows - row)
        left.append(Cell(row=row, col=0, text=_words(table, rng), rowspan=tall))
        row += tall
    return Table(rows=table.rows, cols=table.cols + 1, cells=[*left, *right])


def _section_row(table: Table, rng: random.Random) -> Table:
    at = rng.randint(1, table.rows - 1)
    moved = [
        cell.model_copy(update={"row": cell.row + 1}) if cell.row >= at else cell for cell in table.cells
    ]
    section = Cell(row=at, col=0, text=_words(table, rng), colspan=table.cols)
    return Table(rows=table.rows + 1, cols=table.cols, cells=[*moved, section])
