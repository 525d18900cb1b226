"""Blocks of tables, seen by the detector or told by their grid."""

from __future__ import annotations

from galley.document import Block, Label, Table
from galley.document.table_html import table_html
from galley.parsing.blocks.context import BlockContext
from galley.parsing.blocks.text import text_block
from galley.parsing.lines.merge import merge_rows
from galley.parsing.page.state import Zone

LEAST_ROWS, LEAST_COLS = 3, 3
"""Rows and columns of text that is a table though the detector saw none."""
LEAST_FILLED = 0.6
"""Share of the places of such a grid that hold text."""


def table_block(zone: Zone, table: Table) -> Block:
    """The block of a table whose structure is known."""
    block = text_block(Label.TABLE, zone.lines, "")
    block.bbox, block.table, block.content = zone.bbox, table, table_html(table)
    return block


def undetected_table(zone: Zone, context: BlockContext) -> Table | None:
    """A table the detector missed: rows of cells that make a grid with few empty places."""
    if not zone.rowwise or context.read_table is None or len(merge_rows(zone.lines)) < LEAST_ROWS:
        return None
    table = context.read_table(zone.bbox, zone.lines)
    if table is None or table.rows < LEAST_ROWS or table.cols < LEAST_COLS:
        return None
    filled = sum(cell.rowspan * cell.colspan for cell in table.cells if cell.text.strip())
    return table if filled >= LEAST_FILLED * table.rows * table.cols else None
