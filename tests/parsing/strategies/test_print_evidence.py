"""What is printed, as evidence for changes of a draft."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.ocr.recognition import Recogniser
from galley.parsing.strategies.print_evidence import PrintEvidence


def line(text: str, features: NDArray[np.float16] | None) -> TextLine:
    """Each character was read in two frames, of which the first is noted."""
    frames = np.arange(len(text)) * 2
    return TextLine(text, BBox(x0=0, y0=0, x1=1, y1=1), char_frames=frames, features=features)


def lengths(features: NDArray[np.float16], texts: Sequence[str]) -> list[float]:
    return [-float(len(text)) for text in texts]


SHOWN = np.zeros((3, 120), np.float16)


def test_the_line_is_compared_with_the_change_in_it() -> None:
    asked: list[Any] = []

    def spell(features: NDArray[np.float16], texts: Sequence[str]) -> list[float]:
        asked.append(texts)
        return [-2.0, -5.0]

    ink = PrintEvidence("one tw0 thr ee four", [line("one  tw0", SHOWN), line("thr ee four", SHOWN)], spell)
    assert ink.log_ratio(1, 2, "two") == -3.0
    assert ink.log_ratio(2, 4, "three") == -3.0
    assert asked == [["one  tw0", "one  two"], ["thr ee four", "three four"]]


def test_of_a_long_line_only_the_words_around_are_compared() -> None:
    asked: list[Any] = []

    def spell(features: NDArray[np.float16], texts: Sequence[str]) -> list[float]:
        asked.append(([int(value) for value in features[:, 0]], *texts))
        return [0.0, 0.0]

    frames = np.repeat(np.arange(44, dtype=np.float16)[:, None], 120, axis=1)
    ink = PrintEvidence("a few w0rds of a line,", [line("a few w0rds of a line,", frames)], spell)
    ink.log_ratio(2, 3, "words")
    assert asked.pop() == ([*range(2, 29)], "few w0rds of", "few words of")
    ink.log_ratio(0, 1, "A")
    assert asked.pop() == ([*range(11)], "a few", "A few")
    ink.log_ratio(4, 6, "aline,")
    assert asked.pop() == ([*range(22, 44)], "of a line,", "of aline,")


def test_the_same_word_twice_is_told_apart() -> None:
    asked: list[Any] = []

    def spell(features: NDArray[np.float16], texts: Sequence[str]) -> list[float]:
        asked.append(texts[1])
        return [0.0, 0.0]

    ink = PrintEvidence("a b a", [line("a b a", SHOWN)], spell)
    ink.log_ratio(2, 3, "c")
    assert asked == ["b c"]


@pytest.mark.parametrize(
    ("draft", "lines", "change"),
    [
        ("one two", [line("one", SHOWN), line("two", SHOWN)], (0, 2)),  # of two lines
        ("one three", [line("one two three", SHOWN)], (0, 2)),  # not neighbours
        ("together", [line("to-", SHOWN), line("gether", SHOWN)], (0, 1)),  # joined over a line's end
        ("one two", [line("one two", None)], (0, 1)),
        ("one two", [], (0, 1)),
    ],
)
def test_where_the_ink_cannot_be_asked_it_says_no(
    draft: str, lines: list[TextLine], change: tuple[int, int]
) -> None:
    assert PrintEvidence(draft, lines, lengths).log_ratio(*change, "other") == -math.inf


def test_a_text_that_cannot_be_read_there_says_no() -> None:
    for found in ([-1.0, -math.inf], [-math.inf, -1.0], [-math.inf, -math.inf]):
        ink = PrintEvidence("one", [line("one", SHOWN)], lambda features, texts, found=found: found)
        assert ink.log_ratio(0, 1, "\u2060") == -math.inf


def test_a_printed_line_knows_its_text() -> None:
    recogniser = Recogniser()
    image = Image.new("RGB", (560, 48), "white")
    ImageDraw.Draw(image).text((8, 6), "The illustrated method", fill="black", font_size=34)
    [reading] = recogniser.encode([np.asarray(image)])
    texts = [
        "The illustrated method",
        "The i11ustrated method",
        "The illustrated methods",
        "The illustrated",
        "",
    ]
    found = recogniser.log_likelihoods(reading.features, texts)
    assert reading.text == texts[0] and found[0] > -1
    assert all(found[0] - other > 3 for other in found[1:])
    assert recogniser.log_likelihoods(reading.features, ["The \u2060illustrated method"]) == [-math.inf]
    assert math.exp(found[0]) <= 1


def test_a_line_without_frames_spells_nothing() -> None:
    none = np.zeros((0, 120), np.float16)
    assert Recogniser().log_likelihoods(none, ["", "a"]) == [0.0, -math.inf]
