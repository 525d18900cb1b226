"""Tables as HTML: header rows, spans, escaping, and places no cell covers."""

from __future__ import annotations

from galley.document import Cell, Table
from galley.document.table_html import table_html


def test_header_rows_and_spans() -> None:
    cells = [
        Cell(row=0, col=0, text="Year", rowspan=2, header=True),
        Cell(row=0, col=1, text="Sales", colspan=2, header=True),
        Cell(row=1, col=1, text="A", header=True),
        Cell(row=1, col=2, text="B", header=True),
        Cell(row=2, col=0, text="2024"),
        Cell(row=2, col=1, text="1"),
        Cell(row=2, col=2, text="2"),
    ]
    assert table_html(Table(rows=3, cols=3, cells=cells)) == (
        '<table><thead><tr><th rowspan="2">Year</th><th colspan="2">Sales</th></tr>'
        "<tr><th>A</th><th>B</th></tr></thead>"
        "<tbody><tr><td>2024</td><td>1</td><td>2</td></tr></tbody></table>"
    )


def test_text_is_escaped() -> None:
    table = Table(rows=1, cols=1, cells=[Cell(row=0, col=0, text='a < b & "c"\nd')])
    assert table_html(table) == '<table><tbody><tr><td>a &lt; b &amp; "c"<br>d</td></tr></tbody></table>'


def test_uncovered_places_become_empty_cells() -> None:
    table = Table(rows=2, cols=2, cells=[Cell(row=0, col=1, text="x", rowspan=2)])
    assert table_html(table) == (
        '<table><tbody><tr><td></td><td rowspan="2">x</td></tr><tr><td></td></tr></tbody></table>'
    )


def test_row_headers_stay_in_the_body() -> None:
    cells = [Cell(row=0, col=0, text="k", header=True), Cell(row=0, col=1, text="v")]
    html = table_html(Table(rows=1, cols=2, cells=cells))
    assert html == "<table><tbody><tr><th>k</th><td>v</td></tr></tbody></table>"


def test_empty_table() -> None:
    assert table_html(Table(rows=0, cols=0)) == "<table></table>"
