"""Reading a page block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from galley.document import Cell, Label, Table
from galley.document.table_html import table_html
from galley.errors import ModelError
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.decoders import make_decoder
from galley.parsing.strategies.regions import RegionsParser
from galley.targets.prompt import Prompt, TableFormat

from .scripted import FixedDraft, ScriptedReader, block

NO_PAGE = PageImage(1, np.zeros((1, 1, 3), dtype=np.uint8), 200.0)


def read(blocks: list[Any], answer: Any, **options: Any) -> Any:
    settings = {key: options.pop(key) for key in ("table_format", "confidence") if key in options}
    reader = ScriptedReader(answer, **settings)
    draft: Any = FixedDraft(blocks)
    parser = RegionsParser(ParseOptions(**options), reader, draft)
    page = parser.parse_page(NO_PAGE)
    assert reader.alive == 0
    return page, reader


def by_task(**answers: str) -> Any:
    return lambda prompt: answers[prompt.text]


def test_text_tables_and_formulas_are_read_in_one_batch() -> None:
    table = Table(rows=1, cols=2, cells=[Cell(row=0, col=0, text="a"), Cell(row=0, col=1, text="b")])
    blocks = [
        block(Label.TEXT, "Helo world", 10),
        block(Label.TABLE, table_html(table), 40, table=table),
        block(Label.FORMULA, "x2=1", 80, flags=["unverified"], extra={"number": "3"}),
        block(Label.FIGURE, "axis", 120),
        block(Label.PAGE_NUMBER, "7", 280),
    ]
    answer = by_task(
        text="Hello world",
        table='<table border="1"><tr><td colspan="2">A&amp;B</td></tr><tr><td>c</td><td>d</td></tr></table>',
        formula="$$\nx^2 = 1 \\tag{3a}\n$$",
    )
    page, reader = read(blocks, answer)
    text, tabular, formula, figure, number = page.blocks
    assert text.content == "Hello world" and text.source == "scripted" and text.flags == []
    assert text.confidence == pytest.approx(0.95, abs=1e-3)
    assert [(c.text, c.colspan) for c in tabular.table.cells] == [("A&B", 2), ("c", 1), ("d", 1)]
    assert tabular.content == table_html(tabular.table)
    assert formula.content == "x^2 = 1" and formula.extra == {"number": "3a"} and formula.flags == []
    assert (figure.content, figure.source, number.content) == ("axis", "ocr", "7")
    assert reader.prefills == [3]


def test_drafts_save_forwards() -> None:
    text = "A line of text that the drafter read without any fault at all."
    draft: Any = FixedDraft([block(Label.TEXT, text, 10)])
    parser = RegionsParser(ParseOptions(decode="match"), ScriptedReader(lambda p: text), draft)
    assert parser.parse_page(NO_PAGE).blocks[0].content == text
    assert parser.decoder.forwards <= 3  # type: ignore[attr-defined]


def test_a_loop_keeps_the_draft_and_says_so() -> None:
    page, _ = read([block(Label.TEXT, "The draft.", 10)], lambda p: "spam and eggs, " * 200)
    [kept] = page.blocks
    assert kept.content == "The draft." and kept.source == "ocr"
    assert kept.flags == ["loop", "draft-kept"]


def test_a_loop_without_a_draft_keeps_its_first_copy() -> None:
    page, _ = read([block(Label.TEXT, "", 10)], lambda p: "Start. " + "spam and eggs, " * 200)
    [kept] = page.blocks
    assert kept.content == "Start. spam and eggs," and kept.flags == ["loop"]


def test_text_that_does_not_end_is_not_taken() -> None:
    page, _ = read([block(Label.TEXT, "The draft.", 10)], lambda p: "The draft goes on", max_tokens=5)
    assert page.blocks[0].content == "The draft." and page.blocks[0].flags == ["failed", "draft-kept"]


def test_a_failing_model_loses_nothing() -> None:
    def answer(prompt: Prompt) -> str:
        if prompt.text == "table":
            raise RuntimeError("out of memory")
        return "read"

    table = Table(rows=1, cols=1, cells=[Cell(row=0, col=0, text="a")])
    page, _ = read([block(Label.TEXT, "draft", 10), block(Label.TABLE, "", 40, table=table)], answer)
    assert page.blocks[0].content == "read"
    assert page.blocks[1].table == table and page.blocks[1].flags == ["failed", "draft-kept"]
    assert page.failures == ["scripted could not read 1 of 2 blocks, drafts are kept: out of memory"]


def test_a_table_that_is_none_keeps_the_draft() -> None:
    table = Table(rows=1, cols=1, cells=[Cell(row=0, col=0, text="a")])
    page, _ = read([block(Label.TABLE, "", 40, table=table)], by_task(table="no table here"))
    assert page.blocks[0].table == table and page.blocks[0].flags == ["failed", "draft-kept"]


def test_nothing_where_the_draft_has_text_keeps_the_draft() -> None:
    page, _ = read([block(Label.TEXT, "words", 10), block(Label.TEXT, "", 40)], lambda p: "")
    assert page.blocks[0].content == "words" and page.blocks[0].flags == ["unsupported", "draft-kept"]
    assert page.blocks[1].content == "" and page.blocks[1].flags == []


def test_an_unsure_model_is_marked() -> None:
    blocks = [block(Label.TEXT, "qqqqqqqq", 10), block(Label.TEXT, "The words.", 40)]
    made_up, borne_out = read(blocks, lambda p: "The words.", confidence=0.5)[0].blocks
    assert made_up.flags == ["low-confidence", "unsupported"]
    assert borne_out.flags == ["low-confidence"]


def test_headings_and_list_items_lose_their_marks() -> None:
    blocks = [
        block(Label.HEADING, "Intro", 10, height=40),
        block(Label.LIST_ITEM, "one", 60, extra={"marker": "•"}),
    ]
    page, _ = read(blocks, lambda p: "## **Intro**" if p.image.shape[0] > 40 else "- one")
    assert [b.content for b in page.blocks] == ["Intro", "one"] and page.blocks[1].extra == {"marker": "•"}


def test_otsl_tables() -> None:
    table = Table(rows=1, cols=1, cells=[Cell(row=0, col=0, text="a")])
    answer = by_task(table="<fcel>a<lcel><nl><fcel>b<ecel><nl>")
    page, _ = read([block(Label.TABLE, "", 40, table=table)], answer, table_format=TableFormat.OTSL)
    assert [(c.text, c.row, c.col, c.colspan) for c in page.blocks[0].table.cells] == [
        ("a", 0, 0, 2),
        ("b", 1, 0, 1),
        ("", 1, 1, 1),
    ]


def test_what_a_model_cannot_do_is_said_at_once() -> None:
    reader = ScriptedReader(lambda p: "")
    for decode, reason in (
        ("self-spec", "not trained"),
        ("diffusion", "not trained"),
        ("mtp", "no multi-token"),
    ):
        with pytest.raises(ModelError, match=reason):
            make_decoder(reader, ParseOptions(decode=decode))


def test_crops_are_padded_and_clipped() -> None:
    shapes: list[tuple[int, ...]] = []

    def answer(prompt: Prompt) -> str:
        shapes.append(prompt.image.shape)
        return "x"

    read([block(Label.TEXT, "a", 2), block(Label.TEXT, "b", 100)], answer)
    assert shapes == [(27, 190, 3), (30, 190, 3)]
