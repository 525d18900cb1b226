"""Tables that go on over a page break, put together without losing a cell."""

from __future__ import annotations

import re

from galley.document import Block, Cell, Document, Label, Page, Table
from galley.document.table_html import table_html

# How far column edges may differ, as a part of the page's width.
_EDGE = 0.03
_PASSED_OVER = (Label.HEADER, Label.FOOTER, Label.PAGE_NUMBER, Label.FOOTNOTE, Label.ASIDE)
_CONTINUED = re.compile(r"\b(continued|cont['’]?d?|fortsetzung|suite|continuación)\b", re.IGNORECASE)


def merge_tables(document: Document) -> None:
    """Append each table that goes on to the one it goes on from, in place.

    The first table's block gets all rows and ``extra["row_pages"]``: pairs of a row and the page from
    which that row on was taken. The later block stays in its place, empty, with ``continues`` set. Header
    rows the later page repeats are dropped; rows, cells and their texts are otherwise kept as they are.
    """
    home: Block | None = None
    for page, following in zip(document.pages, document.pages[1:], strict=False):
        last, first = _last_table(page), _first_table(following)
        if last is None or first is None or following.number != page.number + 1:
            home = None
            continue
        target = home if home is not None and last.continues else last
        if not _goes_on(last, page, first, following, target):
            home = None
            continue
        _append(target, first, page.number, following.number)
        home = target


def _last_table(page: Page) -> Block | None:
    """The table a page ends with."""
    block = next((b for b in reversed(page.blocks) if b.label not in _PASSED_OVER), None)
    return block if block is not None and block.label is Label.TABLE else None


def _first_table(page: Page) -> Block | None:
    """The table a page begins with; a line that says it is continued may stand above it."""
    for block in page.blocks:
        if block.label in _PASSED_OVER:
            continue
        if block.label is Label.TABLE:
            return block
        if not (_CONTINUED.search(block.content) and len(block.content) < 200):
            return None
    return None


def _goes_on(last: Block, page: Page, first: Block, following: Page, target: Block) -> bool:
    if target.table is None or first.table is None or target.table.cols != first.table.cols:
        return False
    above = [x / page.width for x in (last.bbox.x0, last.bbox.x1)]
    below = [x / following.width for x in (first.bbox.x0, first.bbox.x1)]
    return all(abs(a - b) <= _EDGE for a, b in zip(above, below, strict=True))


def _append(target: Block, block: Block, page: int, following: int) -> None:
    assert target.table is not None and block.table is not None
    table, more = target.table, block.table
    skipped = _repeated_header(table, more)
    start = table.rows
    moved = [
        cell.model_copy(update={"row": cell.row - skipped + start, "header": False})
        for cell in more.cells
        if cell.row >= skipped
    ]
    target.table = Table(rows=start + more.rows - skipped, cols=table.cols, cells=[*table.cells, *moved])
    target.content = table_html(target.table)
    target.extra.setdefault("row_pages", [[0, page]]).append([start, following])
    block.table, block.content, block.continues = None, "", True


def _repeated_header(table: Table, more: Table) -> int:
    """Rows at the start of ``more`` that say what the first rows of ``table`` say."""
    header = max((cell.row + cell.rowspan for cell in table.cells if cell.header), default=1)
    count = min(header, more.rows - 1)
    if count < 1 or not any(cell.text.strip() for cell in more.cells if cell.row < count):
        return 0
    crossing = any(cell.row < count < cell.row + cell.rowspan for cell in more.cells)
    return count if not crossing and _rows_text(table, count) == _rows_text(more, count) else 0


def _rows_text(table: Table, count: int) -> list[tuple[int, int, str]]:
    cells: list[Cell] = [cell for cell in table.cells if cell.row < count and cell.text.strip()]
    return sorted((cell.row, cell.col, "".join(cell.text.lower().split())) for cell in cells)
