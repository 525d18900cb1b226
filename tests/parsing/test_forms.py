"""Form fields and comments of born-digital pages."""

from __future__ import annotations

import io
from typing import Any

import pytest

import galley
from galley.document import BBox, Document, Label
from galley.drafters.line import TextLine
from galley.parsing.lines.join_form_values import joined_form_values

canvas_module = pytest.importorskip("reportlab.pdfgen.canvas")


def parsed(draw: Any) -> Document:
    file = io.BytesIO()
    canvas = canvas_module.Canvas(file, pagesize=(612, 792))
    canvas.setFont("Helvetica", 12)
    draw(canvas, canvas.acroForm)
    canvas.save()
    return galley.parse(file.getvalue())


def loan_form(canvas: Any, form: Any) -> None:
    canvas.drawString(
        60, 740, "The library lends its books to everybody who fills in the lines that follow below."
    )
    canvas.drawString(60, 700, "Reader:")
    form.textfield(name="reader", value="Ines Duarte", x=160, y=694, width=170, height=20)
    canvas.drawString(350, 700, "Card number:")
    form.textfield(name="card", value="", x=440, y=694, width=110, height=20)
    canvas.drawString(60, 660, "Branch:")
    form.choice(
        name="branch", value="Harbour", options=["Harbour", "Market"], x=160, y=654, width=170, height=20
    )
    canvas.drawString(60, 620, "Interests:")
    form.listbox(name="topics", value=["Maps"], options=["Maps", "Music"], x=160, y=590, width=170, height=44)
    canvas.drawString(60, 560, "Age:")
    form.radio(name="age", value="young", selected=False, x=160, y=556, size=14)
    canvas.drawString(180, 560, "under twelve")
    form.radio(name="age", value="grown", selected=True, x=280, y=556, size=14)
    canvas.drawString(300, 560, "older")
    form.checkbox(name="rules", checked=True, x=60, y=516, size=14)
    canvas.drawString(80, 520, "I have read the rules of the house")
    form.checkbox(name="news", checked=False, x=60, y=496, size=14)
    canvas.drawString(80, 500, "Tell me about new books")


def test_values_stand_beside_their_labels_and_boxes_have_their_state() -> None:
    document = parsed(loan_form)
    markdown = document.to_markdown()
    assert "Reader: Ines Duarte Card number:" in markdown
    assert "Branch: Harbour" in markdown
    assert "Interests: Maps" in markdown and "Music" not in markdown
    assert "Age: ( ) under twelve (x) older" in markdown
    assert "- [x] I have read the rules of the house\n- [ ] Tell me about new books" in markdown
    assert not any(block.label in (Label.HEADING, Label.TITLE) for block in document.blocks)


def test_fields_are_in_the_json() -> None:
    document = parsed(loan_form)
    fields = {
        (field.name, field.type): field for field in Document.from_json(document.to_json()).pages[0].fields
    }
    assert fields["reader", "text"].value == "Ines Duarte"
    assert fields["card", "text"].value == ""
    assert fields["branch", "combo"].value == "Harbour"
    assert fields["branch", "combo"].options == ["Harbour", "Market"]
    assert fields["topics", "list"].value == ["Maps"]
    assert fields["rules", "checkbox"].value is True
    assert fields["news", "checkbox"].value is False
    states = {f.options[0]: f.value for f in document.pages[0].fields if f.type == "radio"}
    assert states == {"young": False, "grown": True}
    box = fields["reader", "text"].bbox
    assert (box.x0, box.y1) == pytest.approx((160 * 200 / 72, (792 - 694) * 200 / 72), abs=2)


def test_a_page_that_is_read_again_still_has_its_fields() -> None:
    from galley.ingest import open_source

    file = io.BytesIO()
    canvas = canvas_module.Canvas(file, pagesize=(612, 792))
    canvas.drawString(60, 700, "Name")
    canvas.acroForm.checkbox(name="seen", checked=True, x=160, y=694, size=14)
    canvas.save()
    with open_source(file.getvalue()) as source:
        assert source.page(1).text.fields == source.page(1).text.fields != []


def test_notes_are_labelled_and_what_is_typed_on_a_blank_line_is_text() -> None:
    def draw(canvas: Any, form: Any) -> None:
        canvas.drawString(
            60, 740, "This is what the committee wrote down about the bridge after its visit in May."
        )
        canvas.drawString(60, 700, "Place:")
        canvas.freeTextAnnotation("Old Quay", "/F1 12 Tf", (110, 694, 240, 714))
        canvas.textAnnotation("Ask the owner first.", (500, 735, 520, 755))

    document = parsed(draw)
    asides = [block for block in document.blocks if block.label is Label.ASIDE]
    assert [(block.content, block.extra["annotation"]) for block in asides] == [
        ("Note: Ask the owner first.", "Text")
    ]
    assert "Place: Old Quay" in document.to_markdown()


def line(text: str, x0: float, x1: float) -> TextLine:
    return TextLine(text, BBox(x0=x0, y0=100, x1=x1, y1=120), size=20)


def test_words_far_from_a_field_are_left_alone() -> None:
    lines = [line("Terms apply", 0, 120), line("42", 420, 440), line("Total due", 900, 1000)]
    found = joined_form_values(lines, [BBox(x0=410, y0=95, x1=500, y1=125)])
    assert [one.text for one in found] == ["Terms apply", "42", "Total due"]
