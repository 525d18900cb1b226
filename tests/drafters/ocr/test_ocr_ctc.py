"""CTC: the likelihood of a text is the sum over its alignments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from galley.drafters.ocr.ctc import BLANK, collapse, log_likelihood


def log_scores(frames: int, classes: int, seed: int = 0) -> NDArray[np.float32]:
    raw = np.random.default_rng(seed).normal(0, 2, (frames, classes))
    return np.asarray(raw - np.log(np.exp(raw).sum(axis=1, keepdims=True)), np.float32)


def summed(scores: NDArray[np.float32], text: tuple[int, ...]) -> float:
    """By the definition: over every way to give each frame a class."""
    total = 0.0
    for path in itertools.product(range(scores.shape[1]), repeat=len(scores)):
        spelled = [one for one, _ in itertools.groupby(path) if one != BLANK]
        if tuple(spelled) == text:
            total += float(np.exp(scores[np.arange(len(path)), list(path)].sum()))
    return float(np.log(total)) if total else -np.inf


@pytest.mark.parametrize(
    "text", [(), (1,), (1, 2), (2, 2), (1, 2, 1), (1, 1, 2), (1, 1, 1, 1), (1, 2, 1, 2, 1)]
)
def test_it_is_the_sum_over_all_alignments(text: tuple[int, ...]) -> None:
    scores = log_scores(5, 3)
    expected = summed(scores, text)
    found = log_likelihood(scores, np.array(text, np.int64))
    assert found == pytest.approx(expected, abs=1e-5) if np.isfinite(expected) else found == -np.inf


def test_all_texts_together_are_certain() -> None:
    scores = log_scores(4, 3, seed=1)
    texts = [text for n in range(5) for text in itertools.product((1, 2), repeat=n)]
    total = sum(np.exp(log_likelihood(scores, np.array(text, np.int64))) for text in texts)
    assert total == pytest.approx(1.0, abs=1e-5)


def test_the_best_path_is_among_the_likely_texts() -> None:
    scores = log_scores(12, 4, seed=2) * 4
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    best = collapse(scores.argmax(axis=1), np.exp(scores.max(axis=1))).ids
    worse = np.where(best == 1, 2, 1)
    assert log_likelihood(scores, best) > log_likelihood(scores, worse)


def test_no_frames_spell_nothing() -> None:
    none = np.zeros((0, 3), np.float32)
    assert log_likelihood(none, np.array([], np.int64)) == 0.0
    assert log_likelihood(none, np.array([1])) == -np.inf
