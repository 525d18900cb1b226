"""The table reader on drawn tables: ruled, unruled, spans, wraps, odd input."""

from __future__ import annotations

import numpy as np
import pytest
from table_drawing import Drawing

from galley.document import BBox, Table
from galley.drafters.line import TextLine
from galley.drafters.tables import TableReader, find_tables, grow_table

XS, YS = [40, 220, 400, 580], [30, 80, 130, 180, 230]


def read(drawing: Drawing) -> Table:
    table = TableReader().read(drawing.image, drawing.box, drawing.lines)
    assert table is not None
    return table


def texts(table: Table) -> list[list[str]]:
    grid = [["" for _ in range(table.cols)] for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.col] = cell.text
    return grid


def fill(drawing: Drawing, rows: list[list[str]], skip: int = 0) -> None:
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text:
                drawing.write(XS[c] + 12, YS[r + skip] + 12, text)


ROWS = [["Name", "Size", "Note"], ["alpha", "1.5", "first one"], ["beta", "22", ""], ["gamma", "3", "last"]]


@pytest.mark.parametrize("fill_color, width", [("black", 1), ("black", 3), ("#9ab8e0", 2), ("#c0c0c0", 2)])
def test_ruled_grid(fill_color: str, width: int) -> None:
    drawing = Drawing()
    drawing.grid(XS, YS, fill_color, width)
    fill(drawing, ROWS)
    table = read(drawing)
    assert texts(table) == ROWS
    assert not table.has_spans
    cell = next(cell for cell in table.cells if cell.text == "22")
    assert cell.bbox is not None
    assert (cell.bbox.x0, cell.bbox.x1) == pytest.approx((220, 400), abs=3)
    assert (cell.bbox.y0, cell.bbox.y1) == pytest.approx((130, 180), abs=3)


def test_dotted_grid() -> None:
    drawing = Drawing()
    for x in XS:
        for y in range(YS[0], YS[-1], 6):
            drawing.rule(x, y, x, y + 2)
    for y in YS:
        for x in range(XS[0], XS[-1], 6):
            drawing.rule(x, y, x + 2, y)
    fill(drawing, ROWS)
    assert texts(read(drawing)) == ROWS


def test_white_on_dark() -> None:
    drawing = Drawing(background="#203050")
    drawing.grid(XS, YS, "white")
    for r, row in enumerate(ROWS):
        for c, text in enumerate(row):
            if text:
                drawing.write(XS[c] + 12, YS[r] + 12, text, fill="white")
    assert texts(read(drawing)) == ROWS


def test_without_rules() -> None:
    drawing = Drawing()
    fill(drawing, ROWS)
    table = read(drawing)
    assert texts(table) == ROWS
    assert [cell.header for cell in table.cells if cell.row == 0] == [True] * 3
    assert not any(cell.header for cell in table.cells if cell.row)


def test_shaded_rows() -> None:
    drawing = Drawing()
    for r in (1, 3):
        drawing.shade(0, YS[r], 700, YS[r + 1], "#ececec")
    fill(drawing, ROWS)
    assert texts(read(drawing)) == ROWS


def test_wrapped_text_in_a_ruled_cell_is_one_row() -> None:
    drawing = Drawing()
    ys = [30, 80, 170, 220]
    drawing.grid(XS, ys)
    drawing.write(52, 42, "Name")
    drawing.write(232, 42, "Note")
    drawing.write(412, 42, "Sum")
    drawing.write(52, 112, "alpha")
    for i, text in enumerate(["a long remark", "that goes on and", "on to the end"]):
        drawing.write(232, 86 + 26 * i, text)
    drawing.write(412, 112, "7")
    drawing.write(52, 182, "beta")
    drawing.write(412, 182, "8")
    table = read(drawing)
    assert table.rows == 3
    assert texts(table)[1] == ["alpha", "a long remark that goes on and on to the end", "7"]


def test_wrapped_text_without_rules_is_one_row() -> None:
    drawing = Drawing()
    for y, row in ((20, ("Item", "Remark", "Sum")), (60, ("first", "a remark that is", "7"))):
        for x, text in zip((30, 220, 500), row, strict=True):
            drawing.write(x, y, text)
    drawing.write(220, 84, "longer than its line")
    for x, text in zip((30, 220, 500), ("second", "short", "8"), strict=True):
        drawing.write(x, 124, text)
    assert texts(read(drawing)) == [
        ["Item", "Remark", "Sum"],
        ["first", "a remark that is longer than its line", "7"],
        ["second", "short", "8"],
    ]


def test_spans_of_a_ruled_grid() -> None:
    drawing = Drawing()
    for y in (YS[0], YS[2], YS[4]):
        drawing.rule(XS[0], y, XS[3], y)
    drawing.rule(XS[1], YS[1], XS[3], YS[1])
    drawing.rule(XS[1], YS[3], XS[3], YS[3])
    for x in (XS[0], XS[1], XS[3]):
        drawing.rule(x, YS[0], x, YS[4])
    drawing.rule(XS[2], YS[1], XS[2], YS[4])
    drawing.write(60, 66, "Name")
    drawing.write(490, YS[0] + 12, "Sizes", center=True)
    drawing.write(250, YS[1] + 12, "min")
    drawing.write(430, YS[1] + 12, "max")
    drawing.write(60, 166, "both")
    for r, row in ((2, ("1", "2")), (3, ("3", "4"))):
        for x, text in zip((250, 430), row, strict=True):
            drawing.write(x, YS[r] + 12, text)
    table = read(drawing)
    spans = {cell.text: (cell.row, cell.col, cell.rowspan, cell.colspan) for cell in table.cells}
    assert (table.rows, table.cols) == (4, 3)
    assert spans["Name"] == (0, 0, 2, 1)
    assert spans["Sizes"] == (0, 1, 1, 2)
    assert spans["both"] == (2, 0, 2, 1)
    assert spans["4"] == (3, 2, 1, 1)


def test_group_headings_without_rules_span_their_columns() -> None:
    drawing = Drawing()
    xs = (40, 240, 340, 460, 560)
    drawing.write(312, 20, "North", center=True)
    drawing.write(532, 20, "South", center=True)
    for y, row in ((50, ("City", "2001", "2002", "2001", "2002")), (80, ("Oslo", "11", "12", "13", "14"))):
        for x, text in zip(xs, row, strict=True):
            drawing.write(x, y, text)
    for y, row in ((110, ("Rome", "21", "22", "23", "24")), (140, ("Bonn", "31", "32", "33", "34"))):
        for x, text in zip(xs, row, strict=True):
            drawing.write(x, y, text)
    table = read(drawing)
    spans = {cell.text: (cell.row, cell.col, cell.colspan) for cell in table.cells}
    assert (table.rows, table.cols) == (5, 5)
    assert spans["North"] == (0, 1, 2)
    assert spans["South"] == (0, 3, 2)
    assert [cell.header for cell in table.cells if cell.row == 1] == [True] * 5


def test_line_across_columns_is_split_at_its_words() -> None:
    drawing = Drawing()
    drawing.grid(XS, YS)
    fill(drawing, ROWS)
    joined: list[TextLine] = []
    for r in range(4):
        row = [line for line in drawing.lines if YS[r] < line.bbox.center[1] < YS[r + 1]]
        box = row[0].bbox
        for line in row[1:]:
            box = box.union(line.bbox)
        words = [word for line in row for word in line.words]
        joined.append(TextLine(" ".join(line.text for line in row), box, words=words))
    table = TableReader().read(drawing.image, drawing.box, joined)
    assert table is not None
    assert texts(table) == ROWS


def test_line_without_word_boxes_is_kept() -> None:
    drawing = Drawing()
    drawing.grid(XS, YS)
    fill(drawing, ROWS)
    for line in drawing.lines:
        line.words = []
    assert texts(read(drawing)) == ROWS


def test_booktabs_rule_ends_the_head() -> None:
    drawing = Drawing()
    for y in (YS[0], 110, 260):
        drawing.rule(40, y, 580, y)
    fill(drawing, [["", "Size", "Note"], ["Name", "cm", "kind"]][:1])
    drawing.write(52, 74, "Name")
    drawing.write(232, 74, "(in cm)")
    for i, row in enumerate((("a", "1", "x"), ("b", "2", "y"), ("c", "3", "z"))):
        for c, text in enumerate(row):
            drawing.write(XS[c] + 12, 120 + 40 * i, text)
    table = read(drawing)
    head = {cell.row for cell in table.cells if cell.header}
    body = {cell.row for cell in table.cells if not cell.header}
    assert max(head) < min(body)
    assert texts(table)[min(body)] == ["a", "1", "x"]


def test_prose_is_no_table() -> None:
    drawing = Drawing()
    for i in range(6):
        drawing.write(30, 30 + 28 * i, "plain words that run across the page as in any text")
    assert TableReader().read(drawing.image, drawing.box, drawing.lines) is None


def test_blank_is_no_table() -> None:
    drawing = Drawing()
    assert TableReader().read(drawing.image, drawing.box, []) is None


def test_empty_form_keeps_its_cells() -> None:
    drawing = Drawing()
    drawing.grid(XS, YS)
    table = TableReader().read(drawing.image, drawing.box, [])
    assert table is not None
    assert (table.rows, table.cols, len(table.cells)) == (4, 3, 12)


def test_huge_table() -> None:
    drawing = Drawing(width=40 * 60, height=200 * 30)
    for r in range(200):
        for c in range(40):
            drawing.write(c * 60 + 4, r * 30, f"{(r * c) % 97}")
    table = read(drawing)
    assert (table.rows, table.cols) == (200, 40)


def test_text_without_a_box_is_kept() -> None:
    drawing = Drawing()
    fill(drawing, ROWS)
    lost = TextLine("lost words", BBox(x0=float("nan"), y0=0, x1=1, y1=1))
    table = TableReader().read(drawing.image, drawing.box, [*drawing.lines, lost])
    assert table is not None
    assert "lost words" in " ".join(cell.text for cell in table.cells)


def test_turned_text_covers_its_rows() -> None:
    drawing = Drawing()
    drawing.rule(XS[0], YS[0], XS[3], YS[0])
    drawing.rule(XS[0], YS[4], XS[3], YS[4])
    for y in YS[1:4]:
        drawing.rule(XS[1], y, XS[3], y)
    for x in XS:
        drawing.rule(x, YS[0], x, YS[4])
    fill(drawing, [["", *row[1:]] for row in ROWS])
    turned = TextLine("turned", BBox(x0=120, y0=80, x1=140, y1=190))
    table = TableReader().read(drawing.image, drawing.box, [*drawing.lines, turned])
    assert table is not None
    cell = next(cell for cell in table.cells if "turned" in cell.text)
    assert (cell.row, cell.rowspan, cell.col) == (0, 4, 0)


def test_find_tables_sees_ruled_grids_only() -> None:
    drawing = Drawing(height=900)
    drawing.grid(XS, YS)
    fill(drawing, ROWS)
    for i in range(6):
        drawing.write(40, 300 + 30 * i, "plain words that run across the page as in text")
    drawing.rule(40, 500, 600, 500)
    drawing.grid([40, 140, 240, 340, 440], [550, 600, 650, 700, 750], "#cccccc", 1)
    found = find_tables(drawing.image, drawing.lines)
    assert len(found) == 1
    assert found[0].iou(BBox(x0=40, y0=30, x1=580, y1=230)) > 0.95


def test_find_tables_on_a_blank_page() -> None:
    assert find_tables(np.full((300, 200, 3), 255, np.uint8), []) == []


def three_lines(title: str = "Yields") -> tuple[Drawing, BBox]:
    """A table with rules above and below its head and below its body, and the box of the body alone."""
    drawing = Drawing()
    for y in (100, 190, 320):
        drawing.rule(40, y, 660, y)
    drawing.write(50, 110, "Compound")
    drawing.write(300, 110, title)
    for c, head in enumerate(("Soxhlet", "Soxtec", "Liquid")):
        drawing.write(200 + 160 * c, 150, head)
    for r in range(4):
        drawing.write(50, 200 + 28 * r, f"PAH {r}")
        for c in range(3):
            drawing.write(200 + 160 * c, 200 + 28 * r, f"{r}.{c}")
    return drawing, BBox(x0=40, y0=195, x1=660, y1=318)


def test_a_table_reaches_to_the_rule_above_its_head() -> None:
    drawing, body = three_lines()
    grown = grow_table(drawing.image, body, drawing.lines, [])
    assert grown.y0 == pytest.approx(100, abs=3)
    assert (grown.x0, grown.x1) == (body.x0, body.x1)


def test_a_table_does_not_take_what_is_something_else() -> None:
    drawing, body = three_lines("a sentence that is wider than any of the cells would be here")
    assert grow_table(drawing.image, body, drawing.lines, []).y0 == pytest.approx(190, abs=6)
    drawing, body = three_lines()
    title = BBox(x0=40, y0=105, x1=660, y1=140)
    assert grow_table(drawing.image, body, drawing.lines, [title]).y0 > 140


def test_a_corner_over_the_names_of_rows_does_not_lengthen_the_head() -> None:
    drawing = Drawing()
    xs, ys = [40, 160, 280, 400, 520, 640], [30, 80, 130, 180, 230, 280, 330]
    drawing.grid(xs, ys)
    for box in ((42, 32, 278, 128), (282, 32, 638, 78), (42, 132, 158, 228), (42, 232, 158, 328)):
        drawing.shade(*box, fill="white")
    drawing.write(160, 70, "Group", center=True)
    drawing.write(460, 45, "Method", center=True)
    drawing.write(60, 170, "height")
    drawing.write(60, 270, "flowers")
    for c, head in enumerate(("none", "some", "all")):
        drawing.write(300 + 120 * c, 92, head)
    for r in range(4):
        for c in range(4):
            drawing.write(180 + 120 * c, 142 + 50 * r, f"g{r}" if c == 0 else f"{r}.{c}")
    table = read(drawing)
    assert {cell.row for cell in table.cells if cell.header} == {0, 1}
