"""Tables that no grid draws, found by their rows, their columns and the rules around them."""

from __future__ import annotations

import numpy as np

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.tables import TableReader, find_aligned_tables, find_tables
from galley.ingest.page_vectors import PageVectors

CHAR, HEIGHT, PITCH = 10, 20, 30
XS = (100, 400, 560, 700)


def cells(rows: list[list[str]], top: float = 100) -> list[TextLine]:
    return [
        TextLine(text, BBox(x0=x, y0=top + PITCH * r, x1=x + CHAR * len(text), y1=top + PITCH * r + HEIGHT))
        for r, row in enumerate(rows)
        for x, text in zip(XS, row, strict=False)
        if text
    ]


def drawn(*rules: tuple[float, float, float, float]) -> PageVectors:
    return PageVectors(np.array(rules, float).reshape(-1, 4), np.zeros((len(rules), 3), np.uint8))


def fill(*boxes: tuple[float, float, float, float]) -> PageVectors:
    return PageVectors(fills=np.array(boxes, float), fill_colours=np.full((len(boxes), 3), 220, np.uint8))


GOODS = [
    ["Item", "Count", "Price", "Total"],
    ["Brass lamp", "2", "€ 30,00", "€ 60,00"],
    ["", "", "€ 5,00", ""],
    ["Oak stool", "1", "€ 80,00", "€ 80,00"],
    ["Wool rug", "3", "€ 10,50", "€ 31,50"],
]


def test_figures_in_columns_are_a_table_without_any_rule() -> None:
    ((box, bounded),) = find_aligned_tables(cells(GOODS), drawn())
    assert not bounded
    assert (box.x0, box.y0, box.y1) == (100, 100, 100 + 4 * PITCH + HEIGHT)


def test_words_between_rules_of_one_width_are_a_table() -> None:
    names = [["Common pike", "Esox lucius"], ["Tench", "Tinca tinca"], ["Burbot", "Lota lota"]]
    lines = cells(names)
    assert find_aligned_tables(lines, drawn()) == []
    found = find_aligned_tables(lines, drawn((90, 90, 800, 92), (90, 190, 800, 192)))
    assert [(box.y0, box.y1, bounded) for box, bounded in found] == [(90, 192, True)]
    striped = find_aligned_tables(lines, fill((90, 95, 800, 125), (90, 155, 800, 185)))
    assert [bounded for _, bounded in striped] == [True]


def test_contents_and_prose_are_no_tables() -> None:
    rules = drawn((90, 90, 900, 92), (90, 300, 900, 302))
    contents = [[f"Chapter {i}", "..........", str(i), str(7 * i)] for i in range(1, 6)]
    assert find_aligned_tables(cells(contents), rules) == []
    prose = [["so the long winter went by and", "the harbour lay empty until the ice broke"]] * 6
    assert find_aligned_tables(cells(prose), rules) == []


def test_a_grid_of_the_file_is_found_and_read_without_a_picture() -> None:
    rows = [["Fish", "Kilos", "Boats"], ["Cod", "120", "4"], ["Hake", "75", "2"]]
    lines = cells(rows)
    ys, xs = (90, 125, 155, 190), (90, 390, 550, 690)
    grid = drawn(*[(90, y, 690, y + 1) for y in ys], *[(x, 90, x + 1, 191) for x in xs])
    blank = np.full((300, 900, 3), 255, np.uint8)
    assert find_tables(blank, lines) == []
    (box,) = find_tables(blank, lines, grid)
    table = TableReader().read(blank, box, lines, grid)
    assert table is not None and (table.rows, table.cols) == (3, 3)
    assert [cell.text for cell in table.cells] == [text for row in rows for text in row]
