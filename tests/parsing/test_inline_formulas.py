"""Mathematics within lines of text."""

from __future__ import annotations

import numpy as np

from galley.document import BBox, Label
from galley.document.markdown_escape import escape
from galley.drafters.line import TextLine, Word
from galley.ingest.page import TextLayer
from galley.ingest.page_glyphs import PageGlyphs
from galley.parsing.blocks.write_inline_formulas import write_inline_formulas, written_lines
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools


def line(*words: tuple[str, str | None], y: float = 0) -> TextLine:
    """Words of 50 pixels each with what they are written as."""
    found = [
        Word(text, BBox(x0=50.0 * n, y0=y, x1=50.0 * n + 45, y1=y + 20), latex)
        for n, (text, latex) in enumerate(words)
    ]
    box = BBox.around(word.bbox for word in found)
    return TextLine(" ".join(text for text, _ in words), box, source="pdf-text", words=found)


def page_of(*zones: Zone) -> PageState:
    none = np.zeros(0)
    glyphs = PageGlyphs(
        none.astype(int), none.astype(bool), none.astype(int), none, none.reshape(0, 2), none,
        none.reshape(0, 4), none.astype(bool), none.reshape(0, 4), (),
    )  # fmt: skip
    page = PageState(1, np.full((400, 400, 3), 255, np.uint8), text_layer=TextLayer(glyphs=glyphs))
    page.zones = list(zones)
    return page


def test_words_with_mathematics_are_written_as_latex() -> None:
    found = written_lines([line(("let", None), ("x2", "$x^{2}$"), ("be", None))])
    assert [each.text for each in found] == ["let $x^{2}$ be"]


def test_a_formula_over_two_lines_is_one() -> None:
    found = written_lines([line(("a=", "$a =$")), line(("b", "$b$"), ("holds", None), y=30)])
    assert " ".join(each.text for each in found) == "$a = b$ holds"
    apart = written_lines([line(("a", "$a$")), line(("b", "$b$"), y=30)])
    assert [each.text for each in apart] == ["$a$", "$b$"]


def test_a_zone_of_formulas_alone_is_displayed() -> None:
    zone = Zone(Label.TEXT, BBox(x0=0, y0=0, x1=100, y1=20), [line(("a=b", "$a = b$"))])
    name = Zone(Label.TEXT, BBox(x0=0, y0=40, x1=100, y1=60), [line(("x", "$x$"), y=40)])
    page = page_of(zone, name)
    write_inline_formulas(page, PageTools(ParseOptions()))
    assert [each.label for each in page.zones] == [Label.FORMULA, Label.TEXT]


def test_parts_of_a_displayed_formula_are_no_text() -> None:
    formula = Zone(Label.FORMULA, BBox(x0=0, y0=100, x1=200, y1=140), [line(("f", None), y=110)])
    text = Zone(
        Label.TEXT,
        BBox(x0=0, y0=60, x1=200, y1=100),
        [line(("words", None), y=60), line(("∞", "$\\infty$"), y=90)],
    )
    page = page_of(text, formula)
    write_inline_formulas(page, PageTools(ParseOptions()))
    assert [each.text for each in page.zones[0].lines] == ["words"]


def test_markdown_keeps_inline_mathematics_as_it_is() -> None:
    assert escape(r"so $\{a_1, b_1\}^*$ and *this* <b>") == r"so $\{a_1, b_1\}^*$ and \*this\* \<b>"
    assert escape("from $5 to $6 *or* $7") == r"from $5 to $6 \*or\* $7"
