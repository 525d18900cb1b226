"""Whole born-digital documents through the draft strategy: what a reader would notice first."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw, ImageFont

import galley
from galley.document import Document, Label

pytest.importorskip("reportlab")

from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

_STYLES = getSampleStyleSheet()


def _drawn(pages: int, draw: Callable[[Canvas, int], None]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    for page in range(pages):
        draw(canvas, page)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _flowing(*parts: object) -> bytes:
    buffer = io.BytesIO()
    SimpleDocTemplate(buffer).build(list(parts))
    return buffer.getvalue()


def _body(canvas: Canvas, page: int) -> None:
    canvas.setFont("Helvetica", 11)
    for i in range(12):
        canvas.drawString(
            72, 740 - 16 * i, f"Body text line {i} of page {page} says something about its subject"
        )


def _tables(document: Document) -> list[Table]:
    return [b.table for p in document.pages for b in p.blocks if b.label is Label.TABLE and b.table]


@pytest.fixture(scope="module")
def ledger() -> bytes:
    rows = [["No", "Name", "City", "Amount"]]
    rows += [[str(i), f"Person {i}", f"Town {i % 17}", f"{i * 3.17:.2f}"] for i in range(100)]
    return _flowing(Table(rows, repeatRows=1, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))


def test_narrow_words_stay_in_their_line() -> None:
    text = "She fell ill in March, and a lit candle showed that it fit. Part iii is void, they say it. " * 3
    markdown = galley.parse(_flowing(Paragraph(text, _STYLES["BodyText"]))).to_markdown()
    assert markdown.split() == text.split()


def test_numbered_headings_are_no_running_headers() -> None:
    def draw(canvas: Canvas, page: int) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(72, 790, f"Lecture {page + 1}")
        _body(canvas, page)

    markdown = galley.parse(_drawn(4, draw)).to_markdown()
    assert [n for n in range(1, 5) if f"# Lecture {n}" in markdown] == [1, 2, 3, 4]


def test_running_headers_and_page_numbers_are_left_out_of_markdown_and_kept_in_json() -> None:
    def draw(canvas: Canvas, page: int) -> None:
        _body(canvas, page)
        canvas.setFont("Helvetica", 8)
        canvas.drawString(72, 810, "Annual review of the orchard")
        canvas.drawString(290, 30, str(page + 1))

    document = galley.parse(_drawn(5, draw))
    assert document.to_markdown().count("Annual review of the orchard") <= 1
    assert document.to_markdown(keep={"headers"}).count("Annual review of the orchard") == 5
    assert document.to_json().count("Annual review of the orchard") >= 5
    labels = [block.label for page in document.pages for block in page.blocks]
    assert labels.count(Label.PAGE_NUMBER) == 5
    for page in range(5):
        assert f"line 11 of page {page} says" in document.to_markdown()


def test_a_letterhead_stays() -> None:
    def draw(canvas: Canvas, page: int) -> None:
        canvas.setFont("Helvetica", 9)
        canvas.drawString(72, 810, "Orchard & Sons, 4 Mill Lane")
        _body(canvas, page)

    assert "Mill Lane" in galley.parse(_drawn(1, draw)).to_markdown()


def test_a_table_over_three_pages_is_one_table_without_repeated_header(ledger: bytes) -> None:
    (table,) = _tables(galley.parse(ledger))
    assert (table.rows, table.cols) == (101, 4)
    assert sum(cell.text == "Amount" for cell in table.cells) == 1
    assert {f"Person {i}" for i in range(100)} <= {cell.text for cell in table.cells}


def test_tables_stay_apart_when_asked(ledger: bytes) -> None:
    tables = _tables(galley.parse(ledger, merge_tables=False))
    assert len(tables) == 3
    assert sum(table.rows for table in tables) == 103


def test_pages_asked_for_and_no_others() -> None:
    document = galley.parse(_drawn(4, _body), pages="2-3")
    assert [page.number for page in document.pages] == [2, 3]
    assert document.page_count == 4


def test_a_blank_page_invents_nothing() -> None:
    document = galley.parse(_drawn(1, lambda canvas, page: None))
    assert document.pages[0].blocks == []
    assert document.to_markdown().strip() == ""
    assert document.failures == []


def test_a_justified_paragraph_with_stretched_lines_is_one_paragraph() -> None:
    style = ParagraphStyle("narrow", fontSize=10, leading=12, alignment=4, rightIndent=290)
    text = 3 * (
        "We hope that in another score of years somebody will write a second report and in it say what it was "
        "that these uncharacteristically interdisciplinary notebooks had meant to those who kept them for us. "
    )
    assert galley.parse(_flowing(Paragraph(text, style))).to_markdown().strip() == text.strip()


def test_text_in_a_picture_on_a_page_with_a_text_layer_is_read() -> None:
    picture = Image.new("RGB", (1200, 330), "#f4f1e8")
    pen = ImageDraw.Draw(picture)
    font = ImageFont.load_default(size=40)
    pasted = [
        "A clipping from the evening paper",
        "tells of a fire in the harbour",
        "that nobody had noticed before",
    ]
    for i, text in enumerate(pasted):
        pen.text((40, 40 + 85 * i), text, "black", font)

    def draw(canvas: Canvas, page: int) -> None:
        for i in range(12):
            canvas.drawString(72, 720 - 18 * i, f"Line {i} of the page is set in type and says what it says.")
        canvas.drawInlineImage(picture, 72, 300, 400, 110)

    markdown = galley.parse(_drawn(1, draw)).to_markdown()
    assert "Line 11 of the page" in markdown
    for text in pasted:
        assert text in markdown
