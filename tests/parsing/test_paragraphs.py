"""Lines of a zone to paragraphs, list items and headings."""

from __future__ import annotations

import pytest
from page_states import blocks_of

from galley.document import BBox, Block, Document, Label, Page
from galley.drafters.line import TextLine
from galley.parsing.blocks.paragraphs import split
from galley.parsing.document.link_paragraphs import link_paragraphs
from galley.parsing.document.measure_document import measure_document
from galley.parsing.document.nest_list_items import nest_list_items
from galley.parsing.document.set_heading_levels import set_heading_levels
from galley.parsing.document.state import DocumentState
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import Zone
from galley.parsing.text.hyphenation import Vocabulary

PITCH, HEIGHT = 26, 20


def line(text: str, row: float, x0: float = 100, x1: float = 600, height: float = HEIGHT) -> TextLine:
    return TextLine(text, BBox(x0=x0, y0=row * PITCH, x1=x1, y1=row * PITCH + height))


def blocks(*lines: TextLine, label: Label = Label.TEXT) -> list[Block]:
    return blocks_of([Zone(label, BBox.around(line.bbox for line in lines), list(lines))], HEIGHT)


def contents(*lines: TextLine) -> list[str]:
    return [block.content for block in blocks(*lines)]


PROSE = "several words that fill the column up to its right edge"


def test_an_indent_begins_a_paragraph() -> None:
    rows = [line(f"{PROSE} {i}", i, x0=130 if i == 2 else 100) for i in range(4)]
    assert contents(*rows) == [f"{PROSE} 0 {PROSE} 1", f"{PROSE} 2 {PROSE} 3"]


def test_a_short_last_line_ends_a_paragraph() -> None:
    rows = [line(f"{PROSE} {i}", i, x1=250 if i == 1 else 600) for i in range(4)]
    assert contents(*rows) == [f"{PROSE} 0 {PROSE} 1", f"{PROSE} 2 {PROSE} 3"]


def test_space_begins_a_paragraph() -> None:
    rows = [line(f"{PROSE} {i}", i + (i > 1)) for i in range(4)]
    assert contents(*rows) == [f"{PROSE} 0 {PROSE} 1", f"{PROSE} 2 {PROSE} 3"]


def test_short_ragged_lines_that_break_a_word_are_running_text() -> None:
    rows = [
        line("The com-", 0, x1=190),
        line("mittee met on a Monday to discuss", 1, x1=450),
        line("the well-", 2, x1=200),
        line("known problem of it.", 3, x1=320),
    ]
    assert contents(*rows) == ["The committee met on a Monday to discuss the well-known problem of it."]


def test_a_hyphen_goes_within_a_paragraph_and_stays_in_a_compound() -> None:
    rows = [
        line("what is written down as infor-", 0),
        line("mation on a well-", 1),
        line("known matter of old", 2),
    ]
    assert contents(*rows) == ["what is written down as information on a well-known matter of old"]


def test_an_address_keeps_its_lines() -> None:
    rows = [line("Orchard & Sons", 0, x1=240), line("4 Mill Lane", 1, x1=210), line("Larkwater", 2, x1=190)]
    assert contents(*rows) == ["Orchard & Sons\n4 Mill Lane\nLarkwater"]


def test_list_items_lose_bullets_and_keep_numbers() -> None:
    found = blocks(line("• first", 0, x1=200), line("• second", 1, x1=210), line("3. third", 2, x1=200))
    assert [block.label for block in found] == [Label.LIST_ITEM] * 3
    assert [block.content for block in found] == ["first", "second", "3. third"]


def test_an_item_over_two_lines_is_one_item() -> None:
    rows = [line(f"• {PROSE}", 0), line("and its rest", 1, x0=120, x1=240), line(f"• {PROSE}", 2)]
    assert contents(*rows) == [f"{PROSE} and its rest", PROSE]


def test_items_further_in_are_nested() -> None:
    found = blocks(line("• outer", 0), line("• inner", 1, x0=140), line("• outer again", 2))
    _with_levels(Page(number=1, width=800, height=1000, blocks=found))
    assert [block.level for block in found] == [1, 2, 1]


def _with_levels(page: Page) -> None:
    document = DocumentState(ParseOptions(), list)
    pages = measure_document([page], document)
    list(nest_list_items(set_heading_levels(pages, document), document))


def _linked(pages: list[Page]) -> list[Page]:
    texts = [row.text for page in pages for block in page.blocks for row in block.lines]
    return list(link_paragraphs(pages, DocumentState(ParseOptions(), list, words=Vocabulary(texts))))


def test_large_type_is_a_heading() -> None:
    (found,) = blocks(line("Results of the year", 0, x1=400, height=32))
    assert found.label is Label.HEADING


def test_heading_levels_follow_numbering_and_size() -> None:
    heads = [("Report of the year", 48), ("1 Methods", 32), ("1.1 Data", 28), ("2 Results", 32)]
    found = [
        Block(
            label=Label.HEADING,
            bbox=line(t, 4 * i).bbox,
            content=t,
            lines=blocks(line(t, 4 * i, height=h))[0].lines,
        )
        for i, (t, h) in enumerate(heads)
    ]
    body = blocks(*(line(f"{PROSE} {i}", 30 + i) for i in range(4)))
    _with_levels(Page(number=1, width=800, height=2000, blocks=[*found, *body]))
    assert found[0].label is Label.TITLE
    assert [block.level for block in found] == [1, 2, 3, 2]


def test_a_paragraph_broken_by_a_page_goes_on() -> None:
    first = blocks(line(f"{PROSE} and then the infor-", 0), line(f"{PROSE} with all the infor-", 1))
    second = blocks(line("mation ends here.", 0), line(f"{PROSE} indeed.", 1))
    pages = [Page(number=i + 1, width=800, height=1000, blocks=b) for i, b in enumerate((first, second))]
    document = Document(pages=_linked(pages))
    assert second[0].continues
    assert "all the information ends here" in document.to_markdown()


@pytest.mark.parametrize(("plates", "goes_on"), [(3, True), (40, False)])
def test_a_paragraph_goes_on_after_some_pages_of_pictures(plates: int, goes_on: bool) -> None:
    pages = [Page(number=n + 1, width=800, height=1000) for n in range(plates + 2)]
    pages[0].blocks = blocks(line(f"{PROSE} and", 0), line(f"{PROSE} and then all", 1))
    pages[-1].blocks = blocks(line("the rest ends here.", 0))
    picture = BBox(x0=0, y0=0, x1=800, y1=900)
    for page in pages[1:-1]:
        page.blocks = [Block(label=Label.FIGURE, bbox=picture, image="plate.jpg")]
    document = Document(pages=_linked(pages))
    assert pages[-1].blocks[0].continues is goes_on
    markdown = document.to_markdown()
    assert ("then all the rest ends here" in markdown) is goes_on
    assert markdown.count("ends here") == 1 and markdown.count("plate.jpg") == plates


def test_a_new_sentence_on_the_next_page_is_a_new_paragraph() -> None:
    first = blocks(line(PROSE, 0), line(f"{PROSE}.", 1))
    second = blocks(line("Then another thing.", 0))
    pages = [Page(number=i + 1, width=800, height=1000, blocks=b) for i, b in enumerate((first, second))]
    _linked(pages)
    assert not second[0].continues


def test_bare_numbers_that_count_up_open_items() -> None:
    found = blocks(
        line("1 Do you remember any poems that you learned as a child or", 0),
        line("songs of that time?", 1, x0=130, x1=300),
        line("2 Can you recite any of them to the others of your group or", 2),
        line("to the class?", 3, x0=130, x1=250),
    )
    assert [block.label for block in found] == [Label.LIST_ITEM] * 2
    assert found[1].content == "2 Can you recite any of them to the others of your group or to the class?"


def test_numbers_in_prose_open_nothing() -> None:
    rows = [line(PROSE, 0), line(f"12 of {PROSE}", 1), line(f"3 more {PROSE}", 2)]
    assert len(contents(*rows)) == 1


CHINESE = "这是一段很长的中文正文需要占满整行的宽度"


def chinese(text: str, row: float, x0: float = 100) -> TextLine:
    return line(text, row, x0=x0, x1=x0 + 20 * len(text))


def test_chinese_items_and_sections_stand_alone() -> None:
    found = blocks(
        chinese("一、生字复习", 0),
        chinese("（1）天气预报是对将来天气状况的一种预先报告", 1),
        chinese("(2)天气", 2),
        chinese("3.答案", 3),
    )
    assert [block.label for block in found] == [Label.HEADING] + [Label.LIST_ITEM] * 3
    markdown = Document(pages=[Page(number=1, width=800, height=1000, blocks=found[3:])]).to_markdown()
    assert markdown == "3. 答案\n"


def test_a_circled_number_within_a_sentence_opens_no_item() -> None:
    assert len(contents(chinese(CHINESE, 0), chinese(f"③{CHINESE[1:]}", 1), chinese("一样", 2))) == 1


def test_a_short_chinese_line_ends_a_paragraph() -> None:
    rows = [chinese(CHINESE, 0), chinese(CHINESE[:8], 1), chinese(CHINESE, 2), chinese(CHINESE, 3)]
    assert contents(*rows) == [CHINESE + CHINESE[:8], CHINESE * 2]


def test_prose_between_formulas_keeps_no_line_breaks() -> None:
    wide = "the time derivative of the constraints must vanish and hence they must have vanishing"
    found = contents(
        line(wide, 0, x1=900), line("Poisson brackets", 1, x1=260), line("[U, V] = 0", 2, x1=250)
    )
    assert found[0] == f"{wide} Poisson brackets"


def test_a_page_number_below_prose_does_not_make_it_centred() -> None:
    rows = [line(f"{PROSE} {i}", i) for i in range(12)] + [line("( 14 )", 12, x0=330, x1=370)]
    assert all("\n" not in content for content in contents(*rows))


def test_items_of_the_next_column_begin_anew() -> None:
    left = blocks(line("• outer", 10), line("• inner", 11, x0=140))
    right = blocks(line("• next", 0, x0=700, x1=800))
    _with_levels(Page(number=1, width=1000, height=1000, blocks=[*left, *right]))
    assert [block.level for block in (*left, *right)] == [1, 2, 1]


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ("as was put in the Second-", "Chance programme of the county, which was not renewed last year"),
        ("that is laid down in section 7-", "A of the statute, and which nobody had read until that day"),
        (
            "the sum that was owed had grown from 900 to",
            "1,350 within a year, which nobody had expected of it",
        ),
    ],
)
def test_a_line_that_cannot_end_a_sentence_ends_no_paragraph(upper: str, lower: str) -> None:
    first = "The report of the committee names a number of causes, and the first one is that"
    rows = [line(text, i, x1=100 + 6.2 * len(text)) for i, text in enumerate((first, upper, lower))]
    assert len(contents(*rows)) == 1


def test_a_paragraph_written_to_the_left_begins_at_the_right() -> None:
    rows = [
        ("המועצה החליטה לפתוח את הגשר מחדש לאחר שנתיים", 100.0),
        ("של עבודות ותושבי העיר שמחו על כך מאוד ויצאו", 100.0),
    ]
    lines = [
        TextLine(text, BBox(x0=left, y0=30.0 * n, x1=600, y1=30.0 * n + 20), size=20)
        for n, (text, left) in enumerate([*rows, ("לחגוג ברחובות.", 450.0)])
    ]
    (paragraph,) = split(lines)
    assert [line.text for line in paragraph.lines] == [line.text for line in lines]
    assert paragraph.lines[2].bbox.x0 == 450
