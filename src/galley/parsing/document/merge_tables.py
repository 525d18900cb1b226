"""Pass: tables that go on over a page break, put together without losing a cell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from galley.document import Block, Cell, Label, Page, Table
from galley.document.table_html import table_html
from galley.parsing.document.state import DocumentState

SAME_EDGE = 0.03
"""Part of the page's width by which the sides of two parts of a table may differ."""
MOST_NOTE_CHARS = 200
"""Characters of a line that says that a table is continued."""
_PASSED_OVER = (Label.HEADER, Label.FOOTER, Label.PAGE_NUMBER, Label.FOOTNOTE, Label.ASIDE)
_CONTINUED = re.compile(r"\b(continued|cont['’]?d?|fortsetzung|suite|continuación)\b", re.IGNORECASE)


def merge_tables(pages: Iterable[Page], document: DocumentState) -> Iterable[Page]:
    """Append each table that goes on over a page break to the one it goes on from, unless the options say otherwise.

    The first table's block gets all rows and ``extra["row_pages"]``: pairs of a row and the page from which that row
    on was taken. The later block stays in its place, empty, with ``continues`` set.

    Reads: label, content, bbox, table, continues.
    Changes: content, table, continues, extra.
    """
    return merged_tables(pages) if document.options.merge_tables else pages


def merged_tables(pages: Iterable[Page]) -> Iterator[Page]:
    """The pages with tables over page breaks merged, in place; pages are held while a table on them may go on.

    Header rows that a later page repeats are dropped; rows, cells and their texts are otherwise kept as they are.
    """
    held: list[Page] = []
    grown: _Grown | None = None
    for page in pages:
        before = grown
        if held:
            grown = _continued(held[-1], page, before)
        if before is not None and grown is not before:
            before.finish()
        if grown is None or grown is not before:
            kept = [] if grown is None else [held.pop()]
            yield from held
            held = kept
        held.append(page)
    if grown is not None:
        grown.finish()
    yield from held


def _continued(page: Page, following: Page, grown: _Grown | None) -> _Grown | None:
    """The table that goes on from one page to the next, with what the next one has of it; None where none does."""
    last, first = _last_table(page), _first_table(following)
    if last is None or first is None or following.number != page.number + 1:
        return None
    if grown is not None and last.continues:
        goes_on = _goes_on(last, page, first, following, grown.table.cols)
    else:
        goes_on = last.table is not None and _goes_on(last, page, first, following, last.table.cols)
        grown = _Grown(last, page.number) if goes_on else None
    if grown is None or not goes_on:
        return None
    grown.append(first, following.number)
    return grown


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
        if not (_CONTINUED.search(block.content) and len(block.content) < MOST_NOTE_CHARS):
            return None
    return None


def _goes_on(last: Block, page: Page, first: Block, following: Page, cols: int) -> bool:
    if first.table is None or first.table.cols != cols:
        return False
    above = [x / page.width for x in (last.bbox.x0, last.bbox.x1)]
    below = [x / following.width for x in (first.bbox.x0, first.bbox.x1)]
    return all(abs(a - b) <= SAME_EDGE for a, b in zip(above, below, strict=True))


class _Grown:
    """A table that takes over the rows of others."""

    def __init__(self, block: Block, page: int) -> None:
        assert block.table is not None
        self._block, self.table = block, block.table
        self._header = max((cell.row + cell.rowspan for cell in self.table.cells if cell.header), default=1)
        self._top = [cell for cell in self.table.cells if cell.row < self._header]
        self._row_pages = [[0, page]]

    def append(self, block: Block, page: int) -> None:
        """Take over the rows of a block, whose table is gone then."""
        assert block.table is not None
        more, start = block.table, self.table.rows
        skipped = self._repeated_header(more)
        self.table.cells += [
            cell.model_copy(update={"row": cell.row - skipped + start, "header": False})
            for cell in more.cells
            if cell.row >= skipped
        ]
        self.table.rows = start + more.rows - skipped
        self._row_pages.append([start, page])
        block.table, block.content, block.continues = None, "", True

    def finish(self) -> None:
        """Write down what the block has become."""
        self._block.content = table_html(self.table)
        self._block.extra["row_pages"] = self._row_pages

    def _repeated_header(self, more: Table) -> int:
        """Rows at the start of ``more`` that say what the first rows of the table say."""
        count = min(self._header, more.rows - 1)
        if count < 1 or not any(cell.text.strip() for cell in more.cells if cell.row < count):
            return 0
        crossing = any(cell.row < count < cell.row + cell.rowspan for cell in more.cells)
        return count if not crossing and _rows_text(self._top, count) == _rows_text(more.cells, count) else 0


def _rows_text(cells: Sequence[Cell], count: int) -> list[tuple[int, int, str]]:
    found = [cell for cell in cells if cell.row < count and cell.text.strip()]
    return sorted((cell.row, cell.col, "".join(cell.text.lower().split())) for cell in found)
