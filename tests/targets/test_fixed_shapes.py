"""Bucketed shapes give what ragged ones give; capturing them is a GPU's business."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from galley.decoding import (
    Auto,
    Autoregressive,
    Decoder,
    DraftMatching,
    Request,
    ScoreDetail,
    SelfSpeculation,
    Window,
)
from galley.targets.transformers import load_target

from .conftest import TOKENS

Load = Callable[[str], Any]


@pytest.fixture(scope="module")
def fixed(checkpoint: Callable[[str], Path]) -> Any:
    target = load_target(checkpoint("gravity_ocr"), device="cpu")
    target.use_fixed_shapes(capture=False)
    return target


def test_scores_equal_ragged_ones(fixed: Any, target: Load, prompts: Load) -> None:
    """Three sequences, then the last two: rows are dense, then picked."""
    windows = [
        Window.tree([20, 31, 42], [-1, 0, 0]),
        Window.chain([53]),
        Window.drafting(64, fixed.mask_id, 4),
    ]
    answers = []
    for model in (fixed, target("gravity_ocr")):
        handles = [handle for handle, _ in model.prefill(prompts("gravity_ocr")[:3])]
        first = model.forward(list(zip(handles, windows, strict=True)), ScoreDetail.FULL)
        for handle, kept in zip(handles, ([0, 2], [0], [0]), strict=True):
            model.commit(handle, np.array(kept))
        second = model.forward(
            [(handles[2], Window.chain([75, 86])), (handles[1], Window.chain([97]))], ScoreDetail.FULL
        )
        answers.append([scores.logprobs for scores in first + second])
        for handle in handles:
            model.release(handle)
    for ours, theirs in zip(*answers, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-4)


def test_rows_of_no_sequence_stand_behind_all_living_ones(
    checkpoint: Callable[[str], Path], target: Load, prompts: Load
) -> None:
    """Four sequences fill the rows there are; three of them run as a batch of four, so that one row more is needed."""
    fresh = load_target(checkpoint("gravity_ocr"), device="cpu")
    fresh.use_fixed_shapes(capture=False)
    answers = []
    for model in (fresh, target("gravity_ocr")):
        handles = [handle for handle, _ in model.prefill(prompts("gravity_ocr")[:4])]
        items = [(handle, Window.chain([20, 31])) for handle in handles[1:]]
        answers.append([scores.logprobs for scores in model.forward(items, ScoreDetail.FULL)])
        for handle in handles:
            model.release(handle)
    for ours, theirs in zip(*answers, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=3e-4)


@pytest.mark.parametrize(
    "settings", [Autoregressive(), DraftMatching(), SelfSpeculation(), Auto()], ids=lambda s: type(s).__name__
)
def test_texts_are_exact(fixed: Any, settings: Any, prompts: Load, greedy: Load) -> None:
    texts = greedy("gravity_ocr")
    requests = [
        Request(prompt, drafts=[text[3:]], max_tokens=TOKENS, loop_guard=None)
        for prompt, text in zip(prompts("gravity_ocr"), texts, strict=True)
    ]
    results = Decoder(fixed, settings, max_batch=3).run(requests)
    assert [result.ids for result in results] == texts
    assert fixed.slots.living == []


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_graphs_equal_the_cpu(checkpoint: Callable[[str], Path], prompts: Load, greedy: Load) -> None:
    target = load_target(checkpoint("gravity_ocr"), device="cuda", dtype="float32")
    requests = [Request(prompt, max_tokens=TOKENS, loop_guard=None) for prompt in prompts("gravity_ocr")]
    results = Decoder(target, Autoregressive(), max_batch=3).run(requests)
    assert [result.ids for result in results] == greedy("gravity_ocr")
