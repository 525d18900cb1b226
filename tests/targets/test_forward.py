"""Forwards of windows over real model classes: what a slot predicts depends on what it may see and nothing
else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from galley.decoding import ScoreDetail, Window

FAMILIES = (
    "glm_ocr",
    "qwen2_5_vl",
    "qwen3_vl",
    "hunyuan_ocr",
    "paddleocr_vl",
    "lighton_ocr",
    "deepseek_ocr2",
)
Load = Callable[[str], Any]


def logprobs(target: Any, prompt: Any, steps: Sequence[int]) -> np.ndarray:
    """Log-probabilities after each token, fed one at a time: (len(steps), vocabulary)."""
    [(handle, _)] = target.prefill([prompt])
    rows = []
    for token in steps:
        [scores] = target.forward([(handle, Window.chain([token]))], ScoreDetail.FULL)
        rows.append(scores.logprobs[0])
        target.commit(handle, np.arange(1))
    target.release(handle)
    return np.stack(rows)


def close(a: np.ndarray, b: np.ndarray) -> None:
    np.testing.assert_allclose(a, b, atol=3e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_wide_window_equals_single_tokens(name: str, target: Load, prompts: Load) -> None:
    model, prompt = target(name), prompts(name)[0]
    tokens = [20, 31, 42, 53, 64, 75]
    [(handle, _)] = model.prefill([prompt])
    [wide] = model.forward([(handle, Window.chain(tokens))], ScoreDetail.FULL)
    model.release(handle)
    close(wide.logprobs, logprobs(model, prompt, tokens))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_tree_equals_its_branches_and_keeping_one_continues_it(
    name: str, target: Load, prompts: Load
) -> None:
    model, prompt = target(name), prompts(name)[1]
    tree = Window.tree([20, 31, 42, 53, 64, 75, 86], [-1, 0, 1, 1, 0, 4, 3])
    path = [0, 1, 3, 6]
    [(handle, _)] = model.prefill([prompt])
    [scores] = model.forward([(handle, tree)], ScoreDetail.FULL)
    for branch in ([0, 1, 2], path, [0, 4, 5]):
        close(scores.logprobs[branch], logprobs(model, prompt, tree.tokens[branch]))
    model.commit(handle, np.array(path))
    [after] = model.forward([(handle, Window.chain([97]))], ScoreDetail.FULL)
    model.release(handle)
    close(after.logprobs, logprobs(model, prompt, [*tree.tokens[path], 97])[-1:])


def test_a_drafting_window_leaves_no_trace(target: Load, prompts: Load) -> None:
    model, prompt = target("gravity_ocr"), prompts("gravity_ocr")[2]
    [(handle, _)] = model.prefill([prompt])
    [drafted] = model.forward([(handle, Window.drafting(20, model.mask_id, 4))], ScoreDetail.FULL)
    model.commit(handle, np.array([0]))
    [after] = model.forward([(handle, Window.chain([31, 42]))], ScoreDetail.FULL)
    model.release(handle)
    causal = logprobs(model, prompt, [20, 31, 42])
    close(drafted.logprobs[:1], causal[:1])
    close(after.logprobs, causal[1:])


def test_masks_see_the_whole_block(target: Load, prompts: Load) -> None:
    model, prompt = target("gravity_ocr"), prompts("gravity_ocr")[2]
    [(handle, _)] = model.prefill([prompt])
    plain = Window.drafting(20, model.mask_id, 3)
    filled = Window(np.array([20, model.mask_id, model.mask_id, 99]), plain.depths, plain.sees, plain.parents)
    [a] = model.forward([(handle, plain)], ScoreDetail.FULL)
    [b] = model.forward([(handle, filled)], ScoreDetail.FULL)
    model.release(handle)
    close(a.logprobs[0], b.logprobs[0])
    assert np.abs(a.logprobs[1] - b.logprobs[1]).max() > 0.01


@pytest.mark.parametrize("name", FAMILIES)
def test_ragged_batches_joined_late_with_different_windows(name: str, target: Load, prompts: Load) -> None:
    """Three sequences with different images: one joins later, one leaves early, windows differ in every
    forward.
    """
    model = target(name)
    a, b, c = prompts(name)[0], prompts(name)[1], prompts(name)[4]
    fed: dict[str, list[int]] = {"a": [20, 31, 42, 53], "b": [64, 75, 86], "c": [97, 108, 119]}
    alone = {key: logprobs(model, p, fed[key]) for key, p in (("a", a), ("b", b), ("c", c))}
    [(ha, _), (hb, _)] = model.prefill([a, b])
    first, second = model.forward(
        [(ha, Window.chain([20])), (hb, Window.chain([64, 75, 1]))], ScoreDetail.FULL
    )
    close(first.logprobs, alone["a"][:1])
    close(second.logprobs[:2], alone["b"][:2])
    model.commit(ha, np.arange(1))
    model.commit(hb, np.arange(2))
    [(hc, _)] = model.prefill([c])
    windows = [
        (hc, Window.tree([97, 9, 108], [-1, 0, 0])),
        (hb, Window.chain([86])),
        (ha, Window.chain([31, 42])),
    ]
    third, second, first = model.forward(windows, ScoreDetail.FULL)
    close(third.logprobs[[0, 2]], alone["c"][:2])
    close(second.logprobs, alone["b"][2:])
    close(first.logprobs, alone["a"][1:3])
    model.release(hb)
    model.commit(ha, np.arange(2))
    model.commit(hc, np.array([0, 2]))
    first, third = model.forward([(ha, Window.chain([53])), (hc, Window.chain([119]))], ScoreDetail.FULL)
    close(first.logprobs, alone["a"][3:])
    close(third.logprobs, alone["c"][2:])
    for handle in (ha, hb, hc):
        model.release(handle)
        model.release(handle)
    assert model.slots.living == []


@pytest.mark.parametrize("name", FAMILIES)
def test_prompts_read_together_are_read_as_alone(name: str, target: Load, prompts: Load) -> None:
    model = target(name)
    together = model.prefill(prompts(name), ScoreDetail.FULL)
    for (handle, scores), prompt in zip(together, prompts(name), strict=True):
        [(alone, expected)] = model.prefill([prompt], ScoreDetail.FULL)
        close(scores.logprobs, expected.logprobs)
        assert alone.slot.length == handle.slot.length and alone.rope_delta == handle.rope_delta
        model.release(alone)
    for handle, _ in together:
        model.release(handle)


def test_uncommitted_windows_are_dropped(target: Load, prompts: Load) -> None:
    model, prompt = target("qwen3_vl"), prompts("qwen3_vl")[0]
    [(handle, _)] = model.prefill([prompt])
    model.forward([(handle, Window.chain([20, 31]))])
    [scores] = model.forward([(handle, Window.chain([42]))], ScoreDetail.FULL)
    model.release(handle)
    close(scores.logprobs, logprobs(model, prompt, [42]))


def test_scores_hold_what_was_asked_for(target: Load, prompts: Load) -> None:
    model, prompt = target("glm_ocr"), prompts("glm_ocr")[0]
    [(handle, _)] = model.prefill([prompt])
    tree = Window.tree([20, 31, 42, 53], [-1, 0, 0, 2])
    by_detail = {detail: model.forward([(handle, tree)], detail)[0] for detail in ScoreDetail}
    model.release(handle)
    full = by_detail[ScoreDetail.FULL]
    assert full.logprobs.shape == (4, model.vocab_size)
    np.testing.assert_allclose(np.exp(full.logprobs).sum(-1), 1, atol=1e-4)
    for scores in by_detail.values():
        assert (scores.argmax == full.logprobs.argmax(-1)).all()
    assert (
        by_detail[ScoreDetail.ARGMAX].confidence is None and by_detail[ScoreDetail.CONFIDENCE].drafted is None
    )
    close(by_detail[ScoreDetail.CONFIDENCE].confidence, full.logprobs.max(-1))
    for detail in (ScoreDetail.DRAFTED, ScoreDetail.FULL):
        close(by_detail[detail].drafted[1:], full.logprobs[[0, 0, 2], [31, 42, 53]])
    assert by_detail[ScoreDetail.DRAFTED].logprobs is None and full.log_norm.shape == (4,)


def test_a_failing_prefill_leaves_nothing_behind(
    target: Load, prompts: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = target("glm_ocr")
    [(handle, _)] = model.prefill(prompts("glm_ocr")[:1])

    def fails(*arguments: Any, **options: Any) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(model, "_call", fails)
    with pytest.raises(RuntimeError):
        model.prefill(prompts("glm_ocr")[1:3])
    assert model.slots.living == [handle.slot]
    model.release(handle)
