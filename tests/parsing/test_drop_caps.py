"""Large first letters."""

from __future__ import annotations

import pytest

from galley.document import BBox
from galley.drafters.line import TextLine, Word
from galley.drafters.text_layer import text_layer_lines
from galley.ingest.page import LayerQuality, TextLayer, TextWord
from galley.parsing.lines.join_drop_caps import joined_drop_caps


def line(text: str, x: float, y: float, height: float = 20) -> TextLine:
    box = BBox(x0=x, y0=y, x1=x + 10 * len(text), y1=y + height)
    words = [Word(word, box) for word in text.split()]
    return TextLine(text, box, words=words)


def beside(letter: str, *texts: str) -> list[TextLine]:
    lines = [line(text, 60, 30 * i) for i, text in enumerate(texts)]
    return [lines[0], TextLine(letter, BBox(x0=0, y0=-4, x1=55, y1=54)), *lines[1:]]


@pytest.mark.parametrize(
    ("letter", "text", "expected"),
    [
        ("S", "HE MOPED. She sighed.", "SHE MOPED. She sighed."),
        ("A", "fter the war he came back", "After the war he came back"),
        ("A", "man of means came here", "A man of means came here"),
        ("I", "remember it as it was", "I remember it as it was"),
        ("I", "T was the best of times", "IT was the best of times"),
        ("“W", "e shall never know it", "“We shall never know it"),
        ("Ü", "ber allen Gipfeln ist", "Über allen Gipfeln ist"),
    ],
)
def test_the_letter_begins_the_first_line_beside_it(letter: str, text: str, expected: str) -> None:
    found = joined_drop_caps(
        [*beside(letter, text, "and it is of after use"), line("below and it was", 0, 60)]
    )
    assert [one.text for one in found] == [expected, "and it is of after use", "below and it was"]
    assert [one.bbox.x0 for one in found] == [0, 0, 0] and found[0].bbox.y0 == 0
    assert " ".join(word.text for word in found[0].words) == expected


def test_a_letter_whose_box_ends_short_of_it_is_a_drop_cap() -> None:
    """Four lines high, as a reader of lines boxes it."""
    lines = [
        line(f"{word} anchor candle orange", 111, 50 + 39 * i, 33)
        for i, word in enumerate(["obody", "shadow", "castle", "desert"])
    ]
    letter = TextLine("N", BBox(x0=-13, y0=83, x1=115, y1=205))
    found = joined_drop_caps([lines[0], lines[1], letter, *lines[2:]])
    assert [one.text.split()[0] for one in found] == ["Nobody", "shadow", "castle", "desert"]


def test_a_letter_that_rises_above_its_line() -> None:
    lines = [
        TextLine("O", BBox(x0=0, y0=0, x1=50, y1=60)),
        line("nce upon a time", 52, 40),
        line("there was", 0, 70),
    ]
    assert [one.text for one in joined_drop_caps(lines)] == ["Once upon a time", "there was"]


def test_the_text_layers_drop_cap_is_a_line_of_its_own() -> None:
    def word(text: str, x: float, y: float, size: float) -> TextWord:
        return TextWord(text, BBox(x0=x, y0=y, x1=x + 0.6 * size * len(text), y1=y + size), size=size)

    first = word("N", 0, 0, 100)
    rest = [
        word(text, 62 + 98 * i, 40 * row, 30)
        for row in range(3)
        for i, text in enumerate(["obody", "ever", "saw"])
    ]
    lines = text_layer_lines(TextLayer([first, *rest], LayerQuality.GOOD))
    assert [one.text for one in lines] == ["N", *["obody ever saw"] * 3]
    assert joined_drop_caps(lines)[0].text == "Nobody ever saw"


def test_what_is_no_drop_cap_stays() -> None:
    one_line = [line("A", 0, 0), line("long line of some text", 60, 0)]
    label_of_an_axis = beside("Y", "12.5", "13.0")
    small_letter = beside("x", "HE MOPED. She sighed.", "wandered around the")
    heading = [
        TextLine("B", BBox(x0=0, y0=0, x1=20, y1=22)),
        *beside("B", "HE MOPED. It", "wandered around")[2:],
    ]
    for lines in (one_line, label_of_an_axis, small_letter, heading):
        assert joined_drop_caps(lines) == lines
