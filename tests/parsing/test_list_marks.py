"""Marks of lists, which stand apart from their items."""

from __future__ import annotations

import pytest
from page_states import blocks_of, zones_of

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.parsing.lines.join_list_marks import joined_list_marks


def line(text: str, x: float, y: float, width: float = 0) -> TextLine:
    return TextLine(text, BBox(x0=x, y0=y, x1=x + (width or 10 * len(text)), y1=y + 20))


def texts(*lines: TextLine) -> list[str]:
    return [found.text for found in joined_list_marks(lines)]


@pytest.mark.parametrize("mark", ["•", "–", "1.", "(a)", "iv)"])
def test_a_mark_and_its_item_are_one_line(mark: str) -> None:
    assert texts(line(mark, 100, 0), line("A ground for the belief", 150, 0)) == [
        f"{mark} A ground for the belief"
    ]


def test_the_letter_that_draws_a_circle() -> None:
    assert texts(line("o", 140, 0), line("a point of the second level", 180, 0)) == [
        "◦ a point of the second level"
    ]


def test_a_numbered_row_of_a_table_keeps_its_cells() -> None:
    assert len(texts(line("1.", 100, 0), line("Bolts", 150, 0), line("12.50", 300, 0))) == 3


def test_figures_and_distant_text_are_no_items() -> None:
    assert len(texts(line("•", 100, 0), line("far away on the page", 300, 0))) == 2
    assert len(texts(line("-", 100, 0), line("12.50", 150, 0))) == 2


def test_hanging_items_are_list_items_with_all_their_lines() -> None:
    found = [line("Some lines of text stand above the list of the two grounds:", 100, 0, 800)]
    for i, start in enumerate((60, 150)):
        found += [
            line("•", 100, start),
            line(f"Ground {i} needs more words than fit into one", 140, start, 760),
        ]
        found += [line("line of it.", 140, start + 25)]
    blocks = blocks_of(zones_of([], joined_list_marks(found), 1000, 400), 20.0)
    items = [block.content for block in blocks if block.label is Label.LIST_ITEM]
    assert items == [f"Ground {i} needs more words than fit into one line of it." for i in range(2)]


def test_numbers_of_clauses_far_from_their_text_stand_before_it() -> None:
    found = texts(
        line("1.", 100, 0),
        line("Parties", 300, 0),
        line(".1", 180, 40),
        line("The owner lets the house to the tenant named below.", 300, 40),
        line(".2", 180, 80),
        line("The tenant takes it as it stands.", 300, 80),
        line("§ 3", 100, 120),
        line("Either may end the lease.", 180, 120),
    )
    assert found == [
        "1. Parties",
        ".1 The owner lets the house to the tenant named below.",
        ".2 The tenant takes it as it stands.",
        "§ 3 Either may end the lease.",
    ]


def test_a_far_number_with_no_others_like_it_is_no_mark() -> None:
    assert len(texts(line("7.", 100, 0), line("words in another column", 300, 0))) == 2


def test_clauses_are_items_and_telephone_numbers_are_not() -> None:
    clause = [line(".4 No pets are kept in the house or in the garden behind it.", 100, 0, 800)]
    phone = [line("(030) 555-0123 is the number of the office in the town.", 100, 0, 800)]
    (item,) = blocks_of(zones_of([], clause, 1000, 400), 20.0)
    (text,) = blocks_of(zones_of([], phone, 1000, 400), 20.0)
    assert (item.label, item.content[:10]) == (Label.LIST_ITEM, ".4 No pets")
    assert text.label is Label.TEXT
