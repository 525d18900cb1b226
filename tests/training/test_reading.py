"""From recognised lines to reading tokens."""

from __future__ import annotations

import numpy as np
import pytest

from galley.targets.nano.reading import BINS, CHANNELS, SeenLine, cut_line, make_reading, resample
from galley.targets.nano.tokens import Vocabulary
from galley.targets.prompt import Task

from .nano_parts import seen_line, tiny_vocabulary


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return tiny_vocabulary()


@pytest.mark.parametrize("text", ["the quick brown fox", "naïve £5 – ok", "x", "  two  spaces"])
@pytest.mark.parametrize("lead", [True, False])
def test_tokens_say_the_line_and_cover_all_its_frames(vocabulary: Vocabulary, text: str, lead: bool) -> None:
    line = seen_line(text)
    tokens = cut_line(vocabulary, line, lead)
    assert vocabulary.decode(tokens.ids.tolist()) == (" " if lead else "") + text
    assert tokens.spans[0, 0] == 0 and tokens.spans[-1, 1] == len(line.features)
    assert (tokens.spans[:, 1] > tokens.spans[:, 0]).all()
    assert (np.diff(tokens.spans[:, 0]) >= 0).all()


def test_a_token_covers_the_frames_of_its_characters(vocabulary: Vocabulary) -> None:
    line = seen_line("fox dog")
    tokens = cut_line(vocabulary, line, lead=False)
    start = 0
    for token, (first, last) in zip(tokens.ids, tokens.spans, strict=True):
        length = len(vocabulary.decode([int(token)]))
        assert first < line.char_frames[start] + 0.5 < last
        assert first < line.char_frames[start + length - 1] + 0.5 < last
        start += length
    assert start == len("fox dog")


def test_columns_nothing_was_read_in_are_kept(vocabulary: Vocabulary) -> None:
    features = np.ones((35, CHANNELS), np.float16)
    blank = SeenLine("", np.zeros(0, np.int64), features, (0.0, 0.0, 280.0, 16.0))
    reading = make_reading(vocabulary, [[blank]], Task.TEXT)
    assert (reading.ids == vocabulary.unread).all() and len(reading) == 4
    assert (reading.features == 1).all()


def test_resampling_keeps_order_and_constants() -> None:
    ramp = np.repeat(np.arange(24, dtype=np.float16)[:, None], CHANNELS, axis=1)
    bins = resample(ramp, np.array([[0.0, 24.0], [4.0, 12.0], [7.0, 8.0]])).reshape(3, BINS, CHANNELS)
    np.testing.assert_allclose(bins[0, :, 0], np.arange(BINS) * 3 + 1.0)
    np.testing.assert_allclose(bins[1, :, 0], np.arange(BINS) + 4.0)
    assert (np.abs(bins[2] - 7.0) <= 0.5).all()


def test_breaks_stand_between_groups(vocabulary: Vocabulary) -> None:
    groups = [[seen_line("fox", 0), seen_line("dog", 20)], [seen_line("jars", 60)]]
    for task, breaks in ((Task.TEXT, 1), (Task.PAGE, 2)):
        reading = make_reading(vocabulary, groups, task)
        at = np.flatnonzero(reading.ids == vocabulary.brk)
        assert len(at) == breaks
        assert not reading.features[at].any()
        text = vocabulary.decode(reading.ids.tolist())
        assert text == "fox dogjars"


def test_boxes_are_in_line_heights_from_the_corner(vocabulary: Vocabulary) -> None:
    lines = [seen_line("fox jumps", 100.0, 50.0), seen_line("over", 132.0, 50.0)]
    for scale in (1.0, 2.5):
        grown = [
            SeenLine(line.text, line.char_frames, line.features, tuple(v * scale for v in line.box))
            for line in lines
        ]
        reading = make_reading(vocabulary, [grown], Task.TEXT)
        assert reading.boxes[:, 0].min() == 0 and reading.boxes[:, 1].min() == 0
        np.testing.assert_allclose(reading.boxes[-1, [1, 3]], [2.0, 3.0], rtol=1e-6)
        np.testing.assert_allclose(reading.boxes[:, 2].max(), 9 * 8 / 16, rtol=1e-6)


def test_an_empty_page_has_an_empty_reading(vocabulary: Vocabulary) -> None:
    reading = make_reading(vocabulary, [[]], Task.PAGE)
    assert len(reading) == 0 and reading.features.shape == (0, BINS * CHANNELS)
