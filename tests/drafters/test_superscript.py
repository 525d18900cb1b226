"""Raised small digits of a text layer become superscripts; nothing else changes."""

from __future__ import annotations

import numpy as np

from galley.document import BBox
from galley.drafters.text_layer import text_layer_lines
from galley.ingest.page import TextLayer, TextWord


def word(text: str, x: float, raised: str = "", top: float = 100, height: float = 40) -> TextWord:
    """A word of 20-pixel characters; ``raised``: an ending set smaller, 4 pixels above the others' top."""
    boxes = [(x + 20 * i, top, x + 20 * i + 20, top + height) for i in range(len(text))]
    start = x + 20 * len(text)
    boxes += [(start + 12 * i, top - 4, start + 12 * i + 12, top + 20) for i in range(len(raised))]
    array = np.array(boxes, np.float32)
    x0, y0, x1, y1 = *array[:, :2].min(axis=0), *array[:, 2:].max(axis=0)
    bbox = BBox(x0=float(x0), y0=float(y0), x1=float(x1), y1=float(y1))
    return TextWord(text + raised, bbox, size=36, char_boxes=array)


def read(*words: TextWord) -> list[str]:
    return [line.text for line in text_layer_lines(TextLayer(list(words)))]


def test_a_note_mark_after_a_number() -> None:
    assert read(word("to", 0), word("12.", 50, "14"), word("None", 150)) == ["to 12.¹⁴ None"]


def test_a_mark_that_is_a_word_of_its_own() -> None:
    assert read(word("", 0, "1"), word("Trees", 20), word("and", 130)) == ["¹ Trees and"]


def test_digits_of_ordinary_size_and_small_ones_on_the_line_stay() -> None:
    small = word("3", 70, top=124, height=20)
    assert read(word("CO2", 0), small, word("water", 100)) == ["CO2 3 water"]


def test_letters_stay_as_they_are() -> None:
    assert read(word("word", 0, "th"), word("more", 130)) == ["wordth more"]


def test_a_citation_in_brackets_is_no_exponent() -> None:
    assert read(word("force", 0), word("", 100, "[2]"), word(".", 136)) == ["force[2]."]


def test_a_fraction_is_whole() -> None:
    raised, lowered = word("", 0, "1"), word("⁄4", 8, top=104)
    assert read(word("of", -60), raised, lowered, word("inch", 70)) == ["of 1⁄4 inch"]


def test_a_raised_mark_before_a_word_stays_a_word() -> None:
    assert read(word("", 0, "2"), word("Trees", 12), word("and", 130)) == ["² Trees and"]
