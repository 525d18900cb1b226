"""Which words of two readings are the same."""

from __future__ import annotations

import random
from difflib import SequenceMatcher

import pytest

from galley.parsing.strategies.align import matches


def changed(words: list[str], seed: int) -> list[str]:
    """About one word in ten left out, doubled or another."""
    dice = random.Random(seed)
    kinds = {0: [], 1: ["new", "words"], 2: ["other"]}
    return [one for word in words for one in kinds.get(dice.randrange(30), [word])]


def test_short_texts_are_compared_as_a_whole() -> None:
    a = ["the", "cat", "sat", "on", "the", "mat", "and", "the", "dog", "sat", "on", "the", "cat"]
    b = changed(a, 3)
    assert a != b
    assert matches(a, b) == SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    assert matches([], []) == [(0, 0, 0)]


@pytest.mark.parametrize("seed", range(5))
def test_long_texts_lose_nothing_by_being_compared_in_stretches(seed: int) -> None:
    dice = random.Random(seed)
    a = [f"{dice.randrange(200)}" for _ in range(1500)]
    b = changed(a, seed)
    found = matches(a, b)
    i = j = 0
    for same in found:
        assert same.a >= i and same.b >= j
        assert a[same.a : same.a + same.size] == b[same.b : same.b + same.size]
        i, j = same.a + same.size, same.b + same.size
    assert (i, j) == (len(a), len(b))
    whole = SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks()
    assert sum(same.size for same in found) >= 0.99 * sum(same.size for same in whole)


@pytest.mark.parametrize(("a", "b"), [(700, 3), (3, 700), (700, 0), (600, 900)])
def test_texts_that_have_nothing_in_common(a: int, b: int) -> None:
    assert matches(["a"] * a, ["b"] * b) == [(a, b, 0)]


def test_one_word_over_and_over_takes_no_time_without_end() -> None:
    a = ["a"] * 3000
    b = ["b" if number % 7 == 0 else "a" for number in range(3000)]
    assert sum(same.size for same in matches(a, b)) > 2000  # minutes, when compared as a whole
