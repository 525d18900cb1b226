"""Which lines are headings."""

from __future__ import annotations

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.parsing.blocks.headings import is_heading
from galley.parsing.lines.measure_body_text import body_text


def line(text: str, height: float, advance: float, source: str = "ocr") -> TextLine:
    box = BBox(x0=0, y0=0, x1=advance * len(text), y1=height)
    return TextLine(text, box, source=source, size=height)


BODY = [line("a line of the running text, of which there are many", 20, 9)] * 5


def heading(found: TextLine) -> bool:
    return is_heading([found], body_text(BODY))


def test_larger_type_is_a_heading() -> None:
    assert heading(line("Results and discussion", 28, 13))


def test_a_line_made_tall_by_an_index_is_none() -> None:
    assert not heading(line("five first class constraints and six second class constraints", 28, 9))


def test_the_size_a_text_layer_names_is_enough() -> None:
    assert heading(line("Results set in narrow type", 28, 9, source="pdf-text"))
