"""Tables as statistical offices print them: dotted leaders, rows without rules, labels that group rows."""

from __future__ import annotations

import pytest
from PIL import ImageFont
from table_drawing import Drawing

from galley.document import BBox, Table
from galley.drafters.line import TextLine, Word
from galley.drafters.tables import TableReader
from galley.drafters.tables.grid import cell_text
from galley.drafters.tables.pieces import piece_of


def read(drawing: Drawing) -> list[list[str]]:
    table = TableReader().read(drawing.image, drawing.box, drawing.lines)
    assert isinstance(table, Table)
    grid = [["" for _ in range(table.cols)] for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.col] = cell.text
    return grid


def leader(drawing: Drawing, x: float, y: float, end: float) -> None:
    """Dots on the feet of a line of text written at height ``y``."""
    while x < end:
        drawing.pen.rectangle((x, y + 18, x + 1, y + 19), "black")
        x += 7


@pytest.mark.parametrize("inner", [True, False], ids=["upright rules", "no upright rules"])
def test_leaders_are_neither_rules_nor_text(inner: bool) -> None:
    drawing = Drawing()
    for y in (30, 70, 290):
        drawing.rule(30, y, 670, y)
    for x in (300, 480) if inner else ():
        drawing.rule(x, 30, x, 290)
    rows = [
        ["All ages", "291,099", "84"],
        ["With a disability", "54,425", "894"],
        ["Severe", "34,947", "601"],
        ["Employed", "12,838", "495"],
    ]
    for i, text in enumerate(["Group", "Number", "Margin"]):
        drawing.write((40, 340, 520)[i], 38, text)
    for r, row in enumerate(rows):
        y = 80 + 50 * r
        for i, text in enumerate(row):
            drawing.write((40, 340, 520)[i], y, text)
        leader(drawing, drawing.lines[-3].bbox.x1 + 5, y, 295)
    assert read(drawing) == [["Group", "Number", "Margin"], *rows]


def test_a_dotted_rule_below_text_stays_a_rule() -> None:
    drawing = Drawing()
    for y in (30, 80, 130, 180):
        for x in range(30, 670, 6):
            drawing.rule(x, y, x + 2, y)
    for x in (30, 300, 670):
        drawing.rule(x, 30, x, 180)
    for r, row in enumerate([["name", "note"], ["a long label", "two lines of"], ["other", "words"]]):
        for i, text in enumerate(row):
            drawing.write((40, 320)[i], 52 + 50 * r, text)
    assert read(drawing) == [["name", "note"], ["a long label", "two lines of"], ["other", "words"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Employed . . .", "Employed"),
        ("Severe .....", "Severe"),
        ("With a disability .", "With a disability"),
        ("and so on...", "and so on..."),
        ("Inc.", "Inc."),
    ],
)
def test_leaders_are_left_out_of_a_cell(text: str, expected: str) -> None:
    words = [Word(part, BBox(x0=20 * i, y0=0, x1=20 * i + 15, y1=20)) for i, part in enumerate(text.split())]
    assert cell_text([piece_of(words)], 20.0) == expected


def test_figures_in_one_column_alone_do_not_wrap() -> None:
    drawing = Drawing()
    rows = [[f"SMITH, NAME {n}", "INTERN FROM SEP. 18", f"{n},446.87"] for n in range(5)]
    for r, row in enumerate(rows):
        for i, text in enumerate(row):
            drawing.write((30, 280, 560)[i], 40 + 23 * r, text)
    assert read(drawing) == rows


def test_a_label_further_left_begins_a_row() -> None:
    drawing = Drawing()
    lines = [
        ("Male", 30),
        ("White", 50),
        ("American Indian or", 50),
        ("Alaska Native", 50),
        ("Female", 30),
        ("White", 50),
    ]
    for r, (text, x) in enumerate(lines):
        drawing.write(x, 40 + 26 * r, text)
        if text in ("White", "American Indian or"):
            drawing.write(350, 40 + 26 * r, f"{r}5,116")
            drawing.write(520, 40 + 26 * r, f"{r}.6")
    labels = [row[0] for row in read(drawing)]
    assert labels == ["Male", "White", "American Indian or Alaska Native", "Female", "White"]


def test_text_that_sticks_out_does_not_take_the_next_column() -> None:
    drawing = Drawing()
    drawing.grid([30, 200, 500, 670], [30, 70])
    drawing.rule(30, 330, 670, 330)
    drawing.rule(30, 70, 30, 330)
    drawing.rule(670, 70, 670, 330)
    for i, text in enumerate(["No.", "Description", "Amount"]):
        drawing.write((50, 220, 560)[i], 40, text)
    rows = []
    for r in range(4):
        y = 84 + 60 * r
        drawing.write(50, y, f"DH{r}0001")
        drawing.write(220, y, "Staff transportation")
        drawing.write(580, y, f"{r}20.68")
        drawing.write(220, y + 24, "fare for a journey from there to here")
        rows.append([f"DH{r}0001", "Staff transportation fare for a journey from there to here", f"{r}20.68"])
    assert drawing.lines[-1].bbox.x1 > 515
    assert read(drawing)[1:] == rows


def test_a_title_set_large_is_a_row_of_its_own() -> None:
    drawing = Drawing()
    drawing.grid([30, 250, 460, 670], [110, 160, 210])
    drawing.grid([30, 670], [30, 110])
    font = ImageFont.load_default(size=50)
    words, x = [], 100.0
    for word in ("Background", "Checks"):
        drawing.pen.text((x, 40), word, "black", font)
        length = drawing.pen.textlength(word, font)
        words.append(Word(word, BBox(x0=x, y0=44, x1=x + length, y1=100)))
        x += length + 16
    box = BBox(x0=words[0].bbox.x0, y0=44, x1=words[-1].bbox.x1, y1=100)
    drawing.lines.append(TextLine("Background Checks", box, words=words))
    rows = [["State", "Permit", "Other"], ["Alabama", "18,870", "23,022"]]
    for r, row in enumerate(rows):
        for i, text in enumerate(row):
            drawing.write((50, 270, 480)[i], 122 + 50 * r, text)
    assert read(drawing) == [["Background Checks", "", ""], *rows]


def test_figures_below_each_other_are_cells_where_a_rule_stops() -> None:
    drawing = Drawing()
    for x in (30, 250, 460, 670):
        drawing.rule(x, 30, x, 290)
    for y in (30, 70, 290):
        drawing.rule(30, y, 670, y)
    drawing.rule(250, 130, 460, 130)
    rows = [["State", "Permit", "Other"]] + [[f"Place {n}", f"{n}8,870", f"{n}3,022"] for n in range(7)]
    for r, row in enumerate(rows):
        for i, text in enumerate(row):
            drawing.write((50, 270, 480)[i], 38 + (30 * r + 8 if r else 0), text)
    assert read(drawing) == rows


def test_lines_that_fill_all_columns_are_rows() -> None:
    drawing = Drawing()
    rows = [
        ["Lowest", "$9,594 or less", "$22,400 or less"],
        ["Lower middle", "$9,595–$17,992", "$22,401–$29,992"],
        ["Upper middle", "$17,993–$25,771", "$29,993–$40,888"],
        ["Highest", "Greater than $25,771", "Greater than $40,888"],
    ]
    for i, text in enumerate(["1994", "1997"]):
        drawing.write((260, 480)[i], 30, text)
    for r, row in enumerate(rows):
        for i, text in enumerate(row):
            drawing.write((30, 230, 450)[i], 90 + 24 * r, text)
    assert read(drawing) == [["", "1994", "1997"], *rows]


def test_a_title_over_all_columns_stays_above_a_rule_that_stops() -> None:
    drawing = Drawing()
    drawing.grid([30, 250, 460, 670], [90, 140, 190])
    drawing.pen.rectangle((32, 88, 248, 92), "white")
    for x in (30, 670):
        drawing.rule(x, 30, x, 190)
    drawing.rule(30, 30, 670, 30)
    drawing.write(350, 50, "Background checks in November", center=True)
    rows = [["State", "Permit", "Other"], ["Alabama", "18,870", "23,022"]]
    for r, row in enumerate(rows):
        for i, text in enumerate(row):
            drawing.write((50, 270, 480)[i], 102 + 50 * r, text)
    assert read(drawing) == [["Background checks in November", "", ""], *rows]
