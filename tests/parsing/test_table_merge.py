"""Tables over page breaks: no cell lost, repeated headers dropped, different tables left apart."""

from __future__ import annotations

from galley.document import BBox, Block, Cell, Label, Page, Table
from galley.parsing.document.merge_tables import merged_tables

HEAD = ("Name", "Sum")


def table(*rows: tuple[str, ...], x1: float = 700) -> Block:
    cells = [
        Cell(row=r, col=c, text=t, header=r == 0) for r, row in enumerate(rows) for c, t in enumerate(row)
    ]
    made = Table(rows=len(rows), cols=len(rows[0]), cells=cells)
    return Block(label=Label.TABLE, bbox=BBox(x0=100, y0=100, x1=x1, y1=900), table=made)


def text(content: str) -> Block:
    return Block(label=Label.TEXT, bbox=BBox(x0=100, y0=50, x1=700, y1=80), content=content)


def merged(*pages: list[Block]) -> list[Table]:
    made = [Page(number=i + 1, width=800, height=1000, blocks=blocks) for i, blocks in enumerate(pages)]
    return [b.table for page in merged_tables(made) for b in page.blocks if b.table is not None]


def column(found: Table, col: int = 0) -> list[str]:
    return [cell.text for cell in sorted(found.cells, key=lambda c: c.row) if cell.col == col]


def test_a_repeated_header_is_dropped_and_every_row_kept() -> None:
    (found,) = merged(
        [table(HEAD, ("a", "1"))], [table(HEAD, ("b", "2"))], [table(HEAD, ("c", "3"), ("d", "4"))]
    )
    assert column(found) == ["Name", "a", "b", "c", "d"]
    assert column(found, 1) == ["Sum", "1", "2", "3", "4"]
    assert found.rows == 5


def test_a_first_row_that_differs_is_kept() -> None:
    (found,) = merged([table(HEAD, ("a", "1"))], [table(("b", "2"), ("c", "3"))])
    assert column(found) == ["Name", "a", "b", "c"]


def test_text_between_keeps_tables_apart() -> None:
    assert len(merged([table(HEAD, ("a", "1")), text("More words.")], [table(HEAD, ("b", "2"))])) == 2


def test_a_continuation_line_does_not() -> None:
    assert len(merged([table(HEAD, ("a", "1"))], [text("Table 1 (continued)"), table(HEAD, ("b", "2"))])) == 1


def test_another_width_or_another_number_of_columns_is_another_table() -> None:
    assert len(merged([table(HEAD, ("a", "1"))], [table(HEAD, ("b", "2"), x1=500)])) == 2
    assert len(merged([table(HEAD, ("a", "1"))], [table(("x", "y", "z"))])) == 2


def test_a_second_table_of_a_page_may_go_on_too() -> None:
    other = ("Town", "People")
    found = merged(
        [table(HEAD, ("a", "1"))],
        [table(HEAD, ("b", "2")), text("Next:"), table(other, ("x", "8"))],
        [table(other, ("y", "9"))],
        [text("End.")],
    )
    assert [column(t) for t in found] == [["Name", "a", "b"], ["Town", "x", "y"]]


def test_rows_name_the_page_they_come_from() -> None:
    pages = [
        Page(number=n, width=800, height=1000, blocks=[table(HEAD, (f"row {n}", "1"))]) for n in (1, 2, 3)
    ]
    first, *later = merged_tables(pages)
    assert first.blocks[0].extra["row_pages"] == [[0, 1], [2, 2], [3, 3]]
    assert all(f"row {n}" in first.blocks[0].content for n in (1, 2, 3))
    assert all(page.blocks[0].continues and page.blocks[0].table is None for page in later)
