"""A ``Table`` as HTML: the form models, metrics and readers of Markdown all take."""

from __future__ import annotations

from html import escape

from galley.document.model import Cell, Table


def table_html(table: Table) -> str:
    """The table as one line of HTML, without attributes but spans.

    Leading header rows are in ``<thead>``, the rest in ``<tbody>``. A header cell is ``<th>``, any other ``<td>``.
    A grid place that no cell covers becomes an empty ``<td>``, so that every row keeps its width. Line breaks in a
    cell become ``<br>``.
    """
    rows = _rows(table)
    head = head_rows(table)
    parts = ["<table>"]
    if head:
        parts += ["<thead>", *(_row_html(row) for row in rows[:head]), "</thead>"]
    if rows[head:]:
        parts += ["<tbody>", *(_row_html(row) for row in rows[head:]), "</tbody>"]
    return "".join([*parts, "</table>"])


def _rows(table: Table) -> list[list[Cell]]:
    """Cells by row and column, with empty cells where nothing covers the grid."""
    covered: set[tuple[int, int]] = set()
    for cell in table.cells:
        covered.update(
            (r, c)
            for r in range(cell.row, cell.row + cell.rowspan)
            for c in range(cell.col, cell.col + cell.colspan)
        )
    rows: list[list[Cell]] = [[] for _ in range(table.rows)]
    for cell in table.cells:
        rows[cell.row].append(cell)
    for r, row in enumerate(rows):
        row += [Cell(row=r, col=c) for c in range(table.cols) if (r, c) not in covered]
        row.sort(key=lambda cell: cell.col)
    return rows


def head_rows(table: Table) -> int:
    """How many leading rows hold nothing but header cells; a header that spans rows holds them all."""
    body = [cell.row for cell in table.cells if not cell.header]
    head = min(body, default=table.rows)
    spans = [cell.row + cell.rowspan for cell in table.cells if cell.row < head]
    return min(max(spans, default=0), table.rows) if head else 0


def _row_html(row: list[Cell]) -> str:
    return f"<tr>{''.join(_cell_html(cell) for cell in row)}</tr>"


def _cell_html(cell: Cell) -> str:
    tag = "th" if cell.header else "td"
    spans = "".join(
        f' {name}="{value}"'
        for name, value in (("rowspan", cell.rowspan), ("colspan", cell.colspan))
        if value > 1
    )
    return f"<{tag}{spans}>{escape(cell.text, quote=False).replace(chr(10), '<br>')}</{tag}>"
