"""Styles on their way from words to blocks, and from blocks to a document."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_states import blank, blocks_of, tools

from galley.document import BBox, Block, Document, Label, Page, Span, Style
from galley.document.spans import PLAIN, CharStyle, are_valid
from galley.drafters.line import TextLine, Word
from galley.parsing.blocks.drop_ordinary_styles import drop_ordinary_styles
from galley.parsing.blocks.spans import spans_of
from galley.parsing.blocks.tie_footnotes import tie_footnotes
from galley.parsing.document_passes import finish_document
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import Zone
from galley.parsing.page.tools import PageTools
from galley.parsing.strategies.carry_spans import carried_spans

BOLD = CharStyle(frozenset({Style.BOLD}))
LINE = 20.0
CHAR = 10.0


def word(text: str, x: float, y: float, style: CharStyle = PLAIN) -> Word:
    left = x + CHAR * np.arange(len(text), dtype=np.float32)
    boxes = np.stack([left, np.full(len(text), y), left + CHAR, np.full(len(text), y + LINE)], axis=1)
    bbox = BBox(x0=x, y0=y, x1=x + CHAR * len(text), y1=y + LINE)
    if style == PLAIN:
        return Word(text, bbox)
    return Word(text, bbox, styles=(style,) * len(text), char_boxes=boxes.astype(np.float32))


def line(y: float, *words: tuple[str, CharStyle]) -> TextLine:
    made, x = [], 0.0
    for text, style in words:
        made.append(word(text, x, y, style))
        x += CHAR * (len(text) + 1)
    text = " ".join(one.text for one in made)
    return TextLine(text, BBox.around(one.bbox for one in made), source="pdf-text", words=made, size=LINE)


def block(content: str, *spans: Span, label: Label = Label.TEXT) -> Block:
    return Block(label=label, bbox=BBox(x0=0, y0=0, x1=500, y1=20), content=content, spans=list(spans))


def settled(*blocks: Block, options: ParseOptions | None = None) -> list[Block]:
    page = blank(600, 800)
    page.blocks = list(blocks)
    drop_ordinary_styles(page, PageTools(options) if options else tools())
    return page.blocks


def test_a_style_goes_on_over_spaces_and_lines_and_hyphens_that_go() -> None:
    lines = [
        line(0, ("a", PLAIN), ("very", BOLD), ("impor-", BOLD)),
        line(30, ("tant", BOLD), ("matter", BOLD), ("indeed", PLAIN)),
    ]
    text = "a very important matter indeed"
    [span] = spans_of(text, lines)
    assert text[span.start : span.end] == "very important matter"
    assert [(box.y0, box.y1) for box in span.boxes] == [(0.0, 20.0), (30.0, 50.0)]


def test_a_bullet_is_no_part_of_the_text_that_places_are_counted_in() -> None:
    item = line(0, ("•", PLAIN), ("strong", BOLD), ("words", PLAIN))
    [made] = blocks_of([Zone(Label.TEXT, item.bbox, [item])], LINE)
    assert (made.label, made.content) == (Label.LIST_ITEM, "strong words")
    assert [made.content[span.start : span.end] for span in made.spans] == ["strong"]


_WORDS = st.lists(st.tuples(st.text("ab-•9", min_size=1, max_size=5), st.booleans()), min_size=1, max_size=8)


@settings(max_examples=200, deadline=None)
@given(_WORDS, st.text("ab-•9 \n", max_size=40))
def test_places_lie_within_whatever_text_was_made_of_the_lines(
    words: list[tuple[str, bool]], text: str
) -> None:
    made = line(0, *((text, BOLD if bold else PLAIN) for text, bold in words))
    for content in (made.text, text):
        spans = spans_of(content, [made])
        assert are_valid(spans, len(content))
        assert not any(content[span.start].isspace() or content[span.end - 1].isspace() for span in spans)


@settings(max_examples=200, deadline=None)
@given(st.text("ab c.", max_size=30), st.text("ab c.", max_size=30), st.integers(0, 20), st.integers(1, 10))
def test_places_lie_within_what_a_model_wrote(before: str, after: str, start: int, length: int) -> None:
    end = min(len(before), start + length)
    spans = [Span(start=start, end=end, styles=[Style.BOLD])] if start < end else []
    assert are_valid(carried_spans(spans, before, after), len(after))
    assert carried_spans(spans, before, before) == spans


def test_a_span_stays_with_its_words_where_a_model_corrects_one_of_them() -> None:
    before, after = "it is teh last day for it", "So it is the last day for it"
    [span] = carried_spans([Span(start=3, end=18, styles=[Style.BOLD])], before, after)
    assert after[span.start : span.end] == "is the last day"
    changed = "it was a long night for it"
    assert carried_spans([Span(start=6, end=9, styles=[Style.BOLD])], before, changed) == []


def test_headings_carry_no_bold_and_captions_not_what_all_of_them_is_set_in() -> None:
    bold = Span(start=0, end=9, styles=[Style.BOLD])
    italic = Span(start=0, end=9, styles=[Style.ITALIC])
    part = Span(start=4, end=9, styles=[Style.ITALIC])
    heading, caption, text, named = settled(
        block("All words", bold, label=Label.HEADING),
        block("All words", italic, label=Label.CAPTION),
        block("All words", bold),
        block("All words", part, label=Label.HEADING),
    )
    assert (heading.spans, caption.spans, text.spans, named.spans) == ([], [], [bold], [part])


def test_what_most_of_a_page_is_set_in_is_no_style() -> None:
    text = "every word of this page is set in type of one width " * 12
    mono = Span(start=0, end=len(text) - 9, styles=[Style.MONOSPACE])
    strong = Span(start=len(text) - 9, end=len(text) - 1, styles=[Style.MONOSPACE, Style.BOLD])
    [made] = settled(block(text, mono, strong))
    assert [(span.start, span.styles) for span in made.spans] == [(len(text) - 9, [Style.BOLD])]
    [short] = settled(block("one word", Span(start=0, end=8, styles=[Style.BOLD])))
    assert short.spans


def test_a_full_stop_is_not_bold_but_may_be_struck() -> None:
    [made] = settled(
        block(
            "so. so.", Span(start=2, end=3, styles=[Style.BOLD]), Span(start=6, end=7, styles=[Style.STRIKE])
        )
    )
    assert [span.styles for span in made.spans] == [[Style.STRIKE]]


def test_no_styles_are_kept_where_none_are_asked_for() -> None:
    link = Span(start=0, end=3, link="https://example.org")
    assert settled(block("one two", link), options=ParseOptions(styles=False))[0].spans == []


RAISED = [Style.SUPERSCRIPT]


def tied(*blocks: Block) -> list[Block]:
    page = blank(600, 800)
    page.blocks = list(blocks)
    tie_footnotes(page, tools())
    return page.blocks


def test_a_mark_and_its_footnote_are_tied() -> None:
    text, note = tied(
        block("as shown¹ before", Span(start=8, end=9, styles=RAISED)),
        block("1 See page 9.", label=Label.FOOTNOTE),
    )
    document = Document(pages=[Page(number=1, width=600, height=800, blocks=[text, note])])
    assert document.to_markdown() == "as shown[^1] before\n\n[^1]: See page 9.\n"
    assert document.to_markdown(()) == "as shown<sup>1</sup> before\n"
    assert document.to_text() == "as shown¹ before\n\n1 See page 9.\n"
    html = document.to_html()
    assert '<a href="#note-1">1</a>' in html
    assert 'id="note-1"' in html


@pytest.mark.parametrize(("top", "label"), [(700.0, Label.FOOTNOTE), (100.0, Label.TEXT)])
def test_text_low_on_the_page_that_opens_with_a_raised_mark_is_its_footnote(top: float, label: Label) -> None:
    note = block("¹See page 9.", Span(start=0, end=1, styles=RAISED))
    note.bbox = BBox(x0=0, y0=top, x1=400, y1=top + 20)
    text, made = tied(block("as shown¹ before", Span(start=8, end=9, styles=RAISED)), note)
    assert made.label is label
    assert [span.note for span in text.spans] == ["1" if label is Label.FOOTNOTE else None]


@pytest.mark.parametrize(
    "blocks",
    [
        [block("a¹ b¹", Span(start=1, end=2, styles=RAISED), Span(start=4, end=5, styles=RAISED))],
        [block("a² b", Span(start=1, end=2, styles=RAISED))],
        [block("a1 b")],
        [block("a¹ b", Span(start=1, end=2, styles=RAISED)), block("1 Other.", label=Label.FOOTNOTE)],
    ],
)
def test_marks_that_are_not_sure_stay_text(blocks: list[Block]) -> None:
    made = tied(*blocks, block("1 See page 9.", label=Label.FOOTNOTE))
    assert not any(span.note for one in made for span in one.spans)
    assert not any("note" in one.extra for one in made)


def page(number: int, *blocks: Block) -> Page:
    return Page(number=number, width=600, height=800, dpi=72, blocks=list(blocks))


def test_footnotes_of_one_number_on_two_pages_have_two_names() -> None:
    def made(words: str, note: str) -> list[Block]:
        return tied(
            block(f"as shown¹ {words}.", Span(start=8, end=9, styles=RAISED)),
            block(f"1 See {note}.", label=Label.FOOTNOTE),
        )

    pages = [page(1, *made("before", "page nine")), page(2, *made("afterwards by others", "the appendix"))]
    document = finish_document(Document(pages=pages), ParseOptions())
    markdown = document.to_markdown()
    assert markdown.count("shown[^1] before") == markdown.count("[^1]: See") == 1
    assert markdown.count("shown[^1-p2] afterwards") == markdown.count("[^1-p2]: See") == 1


def test_links_within_the_document_lead_to_headings_or_nowhere() -> None:
    heading = block("Data & Methods", label=Label.HEADING)
    heading.bbox = BBox(x0=0, y0=300, x1=400, y1=330)
    text = block(
        "see methods or a figure or a page",
        Span(start=4, end=11, link="#page=2&top=290.0"),
        Span(start=17, end=23, link="#page=2&top=700.0"),
        Span(start=29, end=33, link="#page=1"),
    )
    document = finish_document(Document(pages=[page(1, text), page(2, heading)]), ParseOptions())
    assert "see [methods](#data--methods) or a figure or a page" in document.to_markdown()
    assert '<h2 id="data--methods">' in document.to_html()
