"""Scores of a ragged batch against the definition, in loops."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from galley.decoding import ScoreDetail, Window
from galley.targets.transformers.scores import first_scores, window_scores

VOCABULARY = 13


def batch(seed: int) -> list[Window]:
    """Windows of different widths: chains, trees and a drafting block."""
    dice = np.random.default_rng(seed)
    trees = [[-1, 0, 0, 1, 1, 2, 5], [-1], [-1, 0, 1, 2], [-1, 0, 0, 0]]
    windows = [Window.tree(dice.integers(0, VOCABULARY, len(parents)), parents) for parents in trees]
    return [*windows, Window.drafting(3, 12, 4)]


def logprob(row: np.ndarray, token: int) -> float:
    row = row.astype(np.float64)
    return float(row[token] - row.max() - np.log(np.exp(row - row.max()).sum()))


@pytest.mark.parametrize("detail", list(ScoreDetail))
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_window_of_a_batch_gets_its_own_scores(detail: ScoreDetail, dtype: torch.dtype) -> None:
    windows = batch(0)
    generator = torch.Generator().manual_seed(1)
    logits = (4 * torch.randn(sum(map(len, windows)), VOCABULARY, generator=generator)).to(dtype)
    plain = logits.float().numpy()
    start = 0
    for window, scores in zip(windows, window_scores(logits, windows, detail), strict=True):
        rows = plain[start : start + len(window)]
        start += len(window)
        best = rows.argmax(-1)
        assert scores.argmax.tolist() == best.tolist()
        for name, details in (
            ("confidence", (ScoreDetail.CONFIDENCE, ScoreDetail.DRAFTED, ScoreDetail.FULL)),
            ("drafted", (ScoreDetail.DRAFTED, ScoreDetail.FULL)),
            ("logprobs", (ScoreDetail.FULL,)),
            ("log_norm", (ScoreDetail.FULL,)),
        ):
            assert (getattr(scores, name) is not None) == (detail in details), name
        if scores.confidence is not None:
            wanted = [logprob(row, token) for row, token in zip(rows, best, strict=True)]
            np.testing.assert_allclose(scores.confidence, wanted, atol=1e-5)
        if scores.drafted is not None:
            for slot, parent in enumerate(window.parents):
                if parent >= 0:
                    assert scores.drafted[slot] == pytest.approx(
                        logprob(rows[parent], int(window.tokens[slot])), abs=1e-5
                    )
        if scores.logprobs is not None and scores.log_norm is not None:
            wanted = [[logprob(row, token) for token in range(VOCABULARY)] for row in rows]
            np.testing.assert_allclose(scores.logprobs, wanted, atol=1e-5)
            np.testing.assert_allclose(scores.logprobs + scores.log_norm[:, None], rows, atol=1e-5)


def test_prefilled_prompts_get_one_row_each() -> None:
    logits = torch.randn(3, VOCABULARY, generator=torch.Generator().manual_seed(2))
    for row, scores in zip(logits, first_scores(logits, ScoreDetail.FULL), strict=True):
        assert scores.logprobs is not None and scores.logprobs.shape == (1, VOCABULARY)
        np.testing.assert_allclose(scores.logprobs[0], torch.log_softmax(row, -1), atol=1e-5)
