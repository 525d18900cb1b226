"""Lines of Hebrew and Arabic: words and letters in the order they are read in, whatever the order of the file."""

from __future__ import annotations

import numpy as np
import pytest

from galley.ingest.pdf_glyphs import Glyphs, Run
from galley.ingest.symbols import plain
from galley.ingest.word_breaks import word_spans


def words(shown: str, order: str = "places", ligatures: tuple[str, ...] = ()) -> list[str]:
    """Words of a line that is seen as ``shown`` from left to right, 10 pixels a sign, its glyphs in some order.

    ligatures: pairs of letters, as the file gives them, that stand at one place.
    """
    placed, x = [], 0.0
    for char in shown:
        width = 4.0 if char == " " else 10.0
        placed.append((char, x, width))
        x += width
    printed = [each for each in placed if each[0] != " "]
    if order == "reading":
        printed.reverse()
    for n, pair in enumerate(ligatures):  # in the place of a digit that stands for it
        at = next(i for i, each in enumerate(printed) if each[0] == str(n))
        printed[at : at + 1] = [(char, *printed[at][1:]) for char in pair]
    count = len(printed)
    boxes = np.array([[x, 0, x + width, 12] for _, x, width in printed], dtype=np.float32)
    glyphs = Glyphs(
        [char for char, _, _ in printed],
        boxes,
        np.full(count, 10.0, dtype=np.float32),
        [Run()] * count,
        np.zeros(count, dtype=bool),
        np.zeros(count, dtype=bool),
    )
    found, spans = word_spans(glyphs)
    return ["".join(found.chars[i] for i in span) for span in spans]


@pytest.mark.parametrize("order", ["places", "reading"])
@pytest.mark.parametrize(
    ("shown", "read"),
    [
        ("םולש", {"שלום"}),
        ("(ףסכ) 250", {"(כסף)", "250"}),
        ("14-ב", {"ב-14"}),
        ("%12.5-ב הדיריה", {"הירידה"}),
        ("(Acme Inc) הרבחה", {"(Acme", "Inc)", "החברה"}),
        ("ברמ %37.5", {"37.5%", "مرب"}),
        ("(2019) תנש", {"(2019)", "שנת"}),
    ],
)
def test_letters_of_words_are_in_the_order_of_reading(shown: str, read: set[str], order: str) -> None:
    if "%37" in shown:
        shown = "برم %37.5"
    assert read <= set(words(shown, order))


@pytest.mark.parametrize("pair", ["لا", "ال"])
def test_a_ligature_of_lam_and_alef_is_never_turned(pair: str) -> None:
    assert words("مر0س", "places", (pair,)) == ["سلارم"]


def test_brackets_of_a_latin_line_stay() -> None:
    assert words("see (םולש) here now") == ["see", "(שלום)", "here", "now"]


def test_shapes_of_letters_are_letters() -> None:
    assert plain("\ufefb", "Naskh", unmapped=False, last=False) == "لا"
    assert plain("\ufb4b", "Frank", unmapped=False, last=False) == "וֹ"
