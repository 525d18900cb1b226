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


def test_signs_between_latin_words_stay_with_them() -> None:
    words = (("קניתי", 282), ("לבית", 232), ("Salt", 100), ("-", 146), ("Pepper", 162))
    assert read(*words) == ["קניתי לבית Salt - Pepper"]


def test_numbers_alone_run_with_the_line() -> None:
    assert read(("שנים", 220), ("2019", 100), ("-", 150), ("2015", 170)) == ["שנים 2015 - 2019"]


def test_cells_of_tables_are_read_from_the_right() -> None:
    from galley.drafters.line import Word
    from galley.drafters.tables.grid import cell_text
    from galley.drafters.tables.pieces import piece_of

    def word(text: str, x: float, y: float) -> Word:
        return Word(text, BBox(x0=x, y0=y, x1=x + 10 * len(text), y1=y + 20))

    pieces = [
        piece_of([word("גדול", 0, 0), word("בית", 50, 0)]),
        piece_of([word("Tel", 0, 30), word("Aviv", 40, 30)]),
    ]
    assert cell_text(pieces, 20) == "בית גדול Tel Aviv"
