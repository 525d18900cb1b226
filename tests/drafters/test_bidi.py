"""Right-to-left lines of a text layer."""

from __future__ import annotations

from galley.document import BBox
from galley.drafters.text_layer import text_layer_lines
from galley.ingest.page import TextLayer, TextWord


def read(*placed: tuple[str, float]) -> list[str]:
    """Words with their left edges, in the order of the file."""
    words = [TextWord(text, BBox(x0=x, y0=0, x1=x + 10 * len(text), y1=20), size=20) for text, x in placed]
    return [line.text for line in text_layer_lines(TextLayer(words))]


def test_hebrew_words_are_read_from_the_right() -> None:
    assert read(("שלום", 300), ("לכל", 262), ("העולם", 204)) == ["שלום לכל העולם"]


def test_a_latin_name_and_a_number_within_stay_in_order() -> None:
    assert read(("בשנת", 302), ("2024", 138), ("Open", 186), ("Source", 234), ("היה", 100)) == [
        "בשנת 2024 Open Source היה"
    ]


def test_latin_lines_stay_as_they_are() -> None:
    assert read(("the", 0), ("word", 36), ("שלום", 82), ("means", 128), ("peace", 184)) == [
        "the word שלום means peace"
    ]
