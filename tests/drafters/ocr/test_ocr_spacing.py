import numpy as np
import pytest

from galley.drafters.letter_ink import ink_mask
from galley.drafters.ocr.ctc import collapse
from galley.drafters.ocr.spacing import missing_spaces
from galley.drafters.ocr.word_boxes import split_words

STRIDE = 8


def typeset(text: str, gaps: dict[int, int], gap: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Frames and ink columns of ``text``: glyphs 13 wide, ``gaps[i]`` blank columns before character i."""
    columns, frames = [False] * 8, []
    for i in range(len(text)):
        columns += [False] * gaps.get(i, gap)
        frames.append((len(columns) + 6) // STRIDE)
        columns += [True] * 13
    return np.array(frames, np.int64), np.array(columns + [False] * (-len(columns) % STRIDE + STRIDE))


@pytest.mark.parametrize(
    ("text", "gaps", "expected"),
    [
        ("Tel:03-3271", {4: 16}, [4]),
        ("end.Next", {4: 14}, [4]),
        ("end.Next", {}, []),
        ("wide gap", {}, []),
        ("wideword", {4: 24}, [4]),
        ("wideword", {4: 12}, []),
        ("144.16", {4: 24}, []),
        ("(alas!", {1: 24, 5: 24}, []),
        ("東京:大阪", {3: 30}, []),
        ("", {}, []),
        ("x", {}, []),
    ],
)
def test_wide_gaps_are_spaces(text, gaps, expected):
    frames, columns = typeset(text, gaps)
    odds = np.zeros(len(columns) // STRIDE, np.float32)
    assert missing_spaces(text, frames, odds, columns) == expected


@pytest.mark.parametrize(
    ("text", "doubt", "expected"),
    [
        ("ofthe", 2, [2]),
        ("Bhd(7", 3, [3]),
        ("(of", 1, []),
        ("東京", 1, []),
        ('"We', 1, []),
        ("of the", 2, []),
    ],
)
def test_where_the_recogniser_was_in_two_minds(text, doubt, expected):
    frames, columns = typeset(text, {}, gap=10)
    odds = np.full(len(columns) // STRIDE, 0.01, np.float32)
    odds[frames[doubt] - 1] = 0.3
    assert missing_spaces(text, frames, odds, columns) == expected


def test_letterspaced_text_is_left_alone():
    frames, columns = typeset("LETTERS:SPACED", {}, gap=14)
    odds = np.zeros(len(columns) // STRIDE, np.float32)
    assert missing_spaces("LETTERS:SPACED", frames, odds, columns) == []


@pytest.mark.parametrize(
    ("blank", "doubted", "expected"),
    [
        ((12, 52), 4, []),
        ((44, 80), 7, []),
        ((40, 56), 0, [3]),
        ((12, 36), 5, [3]),
    ],
)
def test_a_written_space_is_not_taken_for_another(blank, doubted, expected):
    """The frames of "i" and "t" may lie in the blank of the spaces around them."""
    columns, odds = np.ones(18 * STRIDE, bool), np.zeros(18, np.float32)
    columns[slice(*blank)] = False
    odds[doubted] = 0.9
    assert missing_spaces("a it was", np.array([0, 2, 4, 7, 9, 11, 13, 15]), odds, columns) == expected


@pytest.mark.parametrize("invert", [False, True])
def test_ink_columns_on_light_and_dark(invert):
    line = np.full((48, 60), 0.9, np.float32)
    line[10:30, 20:25] = -0.8
    expected = np.zeros(60, bool)
    expected[20:25] = True
    np.testing.assert_array_equal(ink_mask(-line if invert else line).any(axis=0), expected)
    assert not ink_mask(np.zeros((48, 8), np.float32)).any()


def test_collapse_merges_runs_and_splits_at_blanks():
    spans = collapse(
        np.array([0, 5, 5, 0, 5, 7, 7, 0]), np.array([0, 0.5, 0.9, 0, 0.8, 0.7, 0.6, 0], np.float32)
    )
    assert spans.ids.tolist() == [5, 5, 7]
    assert spans.first.tolist() == [1, 4, 5]
    assert spans.last.tolist() == [2, 4, 6]
    np.testing.assert_allclose(spans.confidence, [0.9, 0.8, 0.7])
    assert len(collapse(np.zeros(0, np.int64), np.zeros(0, np.float32)).ids) == 0


def test_words_of_a_tilted_line_follow_it():
    quad = np.array([[0, 0], [100, 10], [98, 30], [-2, 20]], np.float32)
    left, right = split_words("ab cd", np.array([0.1, 0.3, 0.5, 0.7, 0.9]), quad)
    assert (left.text, right.text) == ("ab", "cd")
    assert left.bbox.x1 < right.bbox.x0
    assert left.bbox.y0 < right.bbox.y0
    assert right.bbox.x1 == pytest.approx(100)


def test_words_of_odd_spacing():
    quad = np.array([[0, 0], [100, 0], [100, 20], [0, 20]], np.float32)
    assert [word.text for word in split_words(" a  b ", np.linspace(0, 1, 6), quad)] == ["a", "b"]
    assert split_words("", np.zeros(0), quad) == []
    (whole,) = split_words("x", np.array([0.5]), quad)
    assert (whole.bbox.x0, whole.bbox.x1) == (0, 100)
