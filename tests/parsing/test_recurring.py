"""Running headers and footers go only with evidence, stay in JSON, and come back when asked for."""

from __future__ import annotations

import pytest

from galley.document import BBox, Block, Document, Label, Line, Page
from galley.parsing.document.label_recurring_furniture import label_recurring_furniture
from galley.parsing.document.state import DocumentState
from galley.parsing.options import ParseOptions


def block(content: str, y: float, label: Label = Label.TEXT, height: float = 20) -> Block:
    bbox = BBox(x0=100, y0=y, x1=500, y1=y + height)
    return Block(label=label, bbox=bbox, content=content, lines=[Line(text=content, bbox=bbox)])


def document(*pages: list[Block]) -> Document:
    made = [Page(number=i + 1, width=800, height=1000, blocks=blocks) for i, blocks in enumerate(pages)]
    return Document(pages=list(label_recurring_furniture(made, DocumentState(ParseOptions(), list))))


def body(page: int) -> Block:
    return block(f"The body of page {page} says what it says.", 400)


def test_a_header_on_two_pages_goes_when_a_larger_title_opens_the_first() -> None:
    title = block("The Title", 150, Label.HEADING, 48)
    found = document([block("Notes", 30), title, body(1)], [body(2), block("Notes", 30)])
    assert "Notes" not in found.to_markdown()
    assert found.to_markdown(keep={"headers"}).count("Notes") == 2
    assert found.to_json().count('"header"') == 2
    assert [page.blocks[0].content for page in found.pages] == ["Notes", "Notes"]


def test_a_letterhead_stays_on_the_first_page() -> None:
    found = document([block("Orchard & Sons", 30), body(1)], [block("Orchard & Sons", 30), body(2)])
    assert found.to_markdown().count("Sons") == 1


def test_one_page_keeps_all_its_text() -> None:
    found = document([block("Orchard & Sons", 30), block("Title", 150, Label.HEADING, 48), body(1)])
    assert "Sons" in found.to_markdown()


def test_footers_that_differ_in_digits_are_one_footer() -> None:
    found = document(*([body(i), block(f"Draft of 2026, sheet {i}", 960)] for i in range(3)))
    assert "Draft" not in found.to_markdown()
    assert found.to_markdown(keep={"footers"}).count("Draft") == 3


@pytest.mark.parametrize(
    "text",
    [
        "Invoice No {}",
        "Invoice #{}",
        "Pay to account 4471 before {} June",
        "Total {}",
        "Chapter {}",
        "Balance carried forward {}.20",
    ],
)
@pytest.mark.parametrize("y", [30, 960])
def test_a_number_that_is_not_the_pages_is_content(text: str, y: float) -> None:
    found = document(*([body(i), block(text.format(1002 + i), y)] for i in range(3)))
    for i in range(3):
        assert text.format(1002 + i) in found.to_markdown()


def test_amounts_that_do_not_count_pages_are_content() -> None:
    found = document(
        *([body(i), block(f"Carried forward {n}", 960)] for i, n in enumerate([3715, 2210, 990]))
    )
    assert found.to_markdown().count("Carried forward") == 3


@pytest.mark.parametrize(
    "text", ["{} The Origin of Species", "The Origin of Species {}", "The Origin | Page {} of 12"]
)
def test_a_number_that_counts_the_pages_goes_with_its_header(text: str) -> None:
    found = document(*([body(i), block(text.format(117 + i), 960)] for i in range(3)))
    assert "Origin" not in found.to_markdown()


def test_bare_numbers_that_do_not_count_pages_are_content() -> None:
    def pages(*numbers: int) -> str:
        labelled = ([body(i), block(str(n), 960, Label.PAGE_NUMBER)] for i, n in enumerate(numbers))
        return document(*labelled).to_markdown()

    assert pages(1900, 1900, 1900).count("1900") == 3
    assert "17" not in pages(16, 17, 18)
    assert "16" not in pages(16)


def test_different_text_at_the_same_place_stays() -> None:
    found = document(
        [body(0)], [block("Apples are red", 30), body(1)], [block("The moon is far away", 30), body(2)]
    )
    assert "Apples" in found.to_markdown() and "moon" in found.to_markdown()


def test_recurring_text_in_the_middle_of_pages_stays() -> None:
    found = document(*([body(i), block("Sign here", 600)] for i in range(3)))
    assert found.to_markdown().count("Sign here") == 3


def test_no_pages() -> None:
    assert document().pages == []
