"""Documents that never fit, and those that wait."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from galley.errors import InputError
from galley.training.example import Example
from galley.training.packed_rows import Packer, Recipe


def example(length: int) -> Example:
    return Example(np.zeros(length, int), np.zeros((1, length), int), length, np.zeros(0, int))


def packer(capacity: int = 10, patience: int = 1) -> Packer:
    return Packer(Recipe(1, 2, 0, 4, joint=False), capacity=capacity, rows=1, patience=patience)


def test_documents_that_never_fit_are_an_error_after_two_hundred_in_a_row() -> None:
    rng = np.random.default_rng(0)
    short = packer()
    with pytest.raises(InputError, match=r"200 documents in a row do not fit rows of 10 tokens.*takes 41"):
        short.batch((example(40) for _ in itertools.count()), rng)
    assert short.too_long == 200
    # One that fits begins the count anew.
    between = packer()
    stream = [*[example(40)] * 199, example(4), *[example(40)] * 199]
    assert len(between.batch(iter(stream), rng)) == 1
    assert between.too_long == 398


def test_documents_that_wait_keep_their_order() -> None:
    rng = np.random.default_rng(0)
    waiting = packer(patience=2)
    stream = iter([example(9), example(8), example(7), example(6), example(5)])
    seen = []
    while rows := waiting.batch(stream, rng):
        seen.append([len(document.example.prompt) for document in rows[0]])
        waiting.patience = 1
    assert seen == [[9], [8], [7], [6], [5]]
