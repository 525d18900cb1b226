"""Exporters: nothing in a text may change meaning on the way out."""

from __future__ import annotations

import json

import pytest

from galley.document import BBox, Block, Cell, Document, Failure, Label, Page, Table

BOX = BBox(x0=10, y0=20, x1=500, y1=60)


def _document(*blocks: Block) -> Document:
    return Document(
        source="a.pdf", page_count=1, pages=[Page(number=1, width=1000, height=2000, blocks=list(blocks))]
    )


def _text(content: str) -> Document:
    return _document(Block(label=Label.TEXT, bbox=BOX, content=content))


def _table(*cells: Cell) -> Document:
    return _document(Block(label=Label.TABLE, bbox=BOX, table=Table(rows=2, cols=2, cells=list(cells))))


def test_json_round_trip() -> None:
    document = _text("a | b")
    document.failures.append(Failure(message="page 2 is damaged", page=2))
    assert Document.model_validate_json(document.to_json()) == document
    assert json.loads(document.to_json())["schema_version"] == document.schema_version


@pytest.mark.parametrize("indent", [None, 1, 2])
@pytest.mark.parametrize("pages", [0, 1, 3])
def test_json_written_page_by_page_is_that_of_the_whole(indent: int | None, pages: int) -> None:
    page = _text('two\nlines, "pages": []').pages[0]
    document = Document(source='"pages": [] "pages":[]', pages=[page] * pages, metadata={"pages": []})
    assert document.to_json(indent) == document.model_dump_json(indent=indent, exclude_none=True)


@pytest.mark.parametrize("content", ["# not a heading", "1986. A great year", "- minus five", "> quoted"])
def test_block_marks_at_the_start_of_text_are_escaped(content: str) -> None:
    assert _text(content).to_markdown().strip() != content


def test_tags_in_text_are_escaped() -> None:
    assert _text("<script>alert(1)</script>").to_markdown().startswith(r"\<script>")
    assert "<script>" not in _text("<script>alert(1)</script>").to_html()


def test_ordinary_text_is_left_alone() -> None:
    content = "Sold at 5-7 % off (net), see p. 12; e-mail: a_b@example.org."
    assert _text(content).to_markdown().strip().replace("\\", "") == content


def test_flat_tables_are_pipe_tables_and_bars_in_cells_are_escaped() -> None:
    cells = [Cell(row=r, col=c, text=f"{r}|{c}", header=r == 0) for r in range(2) for c in range(2)]
    lines = _table(*cells).to_markdown().strip().splitlines()
    assert len(lines) == 3
    assert r"0\|1" in lines[0]


def test_tables_with_spans_are_html() -> None:
    document = _table(
        Cell(row=0, col=0, colspan=2, text="both"), Cell(row=1, col=0, text="a"), Cell(row=1, col=1, text="b")
    )
    assert 'colspan="2"' in document.to_markdown()


def test_html_stands_alone() -> None:
    html = _text("fish & chips").to_html()
    assert html.lower().startswith("<!doctype html>")
    assert "fish &amp; chips" in html


def test_glmocr_contract() -> None:
    blocks = [
        Block(label=Label.TITLE, bbox=BOX, content="Title"),
        Block(label=Label.FORMULA, bbox=BOX, content="a^2"),
        Block(label=Label.TEXT, bbox=BOX, content="words"),
    ]
    (page,) = _document(*blocks).to_glmocr()
    assert [entry["index"] for entry in page] == [0, 1, 2]
    assert all({"label", "native_label", "content", "bbox_2d", "polygon"} <= set(entry) for entry in page)
    assert page[0]["bbox_2d"] == [10, 10, 500, 30]
    assert page[0]["native_label"] == "doc_title"
