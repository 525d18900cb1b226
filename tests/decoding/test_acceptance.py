"""Threshold, sampling and penalty: the rules by themselves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare
from toy_target import ToyTarget, plain

from galley.decoding import (
    Decoder,
    Exact,
    ForwardCosts,
    Request,
    Sampling,
    ScoreDetail,
    Scores,
    Threshold,
    Window,
)
from galley.decoding.accept import accept_path
from galley.decoding.penalty import RepetitionPenalty

PROMPT = 11


def log_softmax(row: np.ndarray) -> np.ndarray:
    return row - np.log(np.exp(row.astype(np.float64)).sum())


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10_000), tau=st.floats(0.05, 0.99), drafter=st.sampled_from(["match", "auto"]))
def test_tau_commits_only_what_the_rule_allows(seed: int, tau: float, drafter: str) -> None:
    """Every token is the model's best, or was drafted and is within tau of the best."""
    target = ToyTarget(vocab=8, quality=0.7, stop_bias=-100.0)
    dice = np.random.default_rng(seed)
    drafts = dice.integers(1, 7, (3, 60)).tolist()
    request = Request(seed, drafts, max_tokens=50, acceptance=Threshold(tau), loop_guard=None)
    (result,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run([request])
    assert result.error is None
    for index, committed in enumerate(result.trace):
        row = log_softmax(target.logits(seed, result.ids[:index]))
        gap = float(row[committed.token] - row.max())
        assert committed.confidence == pytest.approx(row[committed.token], abs=1e-4)
        assert gap >= math.log(tau) - 1e-5
        if committed.source.kind == "model":
            assert gap == 0.0


def test_a_lower_tau_accepts_more() -> None:
    target = ToyTarget(vocab=8, block_size=None, stop_bias=-100.0)
    drafts = np.random.default_rng(0).integers(1, 7, (3, 400)).tolist()

    def accepted(tau: float) -> int:
        request = Request(PROMPT, drafts, max_tokens=150, acceptance=Threshold(tau), loop_guard=None)
        (result,) = Decoder(target, "match").run([request])
        return sum(result.stats.accepted)

    assert accepted(0.01) > 1.2 * accepted(1.0)


def test_tau_takes_the_likeliest_child() -> None:
    logprobs = np.log(np.array([[0.4, 0.35, 0.25], [0.5, 0.3, 0.2], [0.5, 0.3, 0.2]], dtype=np.float32))
    window = Window.tree([0, 2, 1], [-1, 0, 0])
    scores = Scores(logprobs.argmax(1), logprobs.max(1), drafted=logprobs[[0, 0, 0], [0, 2, 1]])
    outcome = accept_path(window, scores, Threshold(0.5), np.random.default_rng(0))
    assert (outcome.slots, outcome.tokens) == ([0, 2], [1, 0])
    assert accept_path(window, scores, Threshold(0.9), np.random.default_rng(0)).tokens == [0]


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.75, 0.95])
def test_a_draft_is_accepted_from_tau_on_and_not_below(tau: float) -> None:
    """The rule is about the ratio of two probabilities: p(draft) / p(best) >= tau."""
    for ratio, accepted in ((tau * 1.01, True), (tau * 0.99, False)):
        best = 0.6 / (1 + ratio)
        logprobs = np.log(np.array([[0.4, best, ratio * best]] * 2, dtype=np.float32))
        logprobs[:, 0] = -5
        window = Window.chain([0, 2])
        scores = Scores(logprobs.argmax(1), logprobs.max(1), drafted=logprobs[[0, 0], [0, 2]])
        outcome = accept_path(window, scores, Threshold(tau), np.random.default_rng(0))
        assert outcome.tokens == ([2, 1] if accepted else [1])
        full = Scores(logprobs.argmax(1), logprobs.max(1), logprobs)
        assert accept_path(window, full, Threshold(tau), np.random.default_rng(0)).tokens == outcome.tokens


@pytest.mark.parametrize("wrong", [0.0, -1.0, 1.5])
def test_senseless_settings_are_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="tau"):
        Threshold(wrong)
    with pytest.raises(ValueError, match="temperature"):
        Sampling(min(wrong, 0.0))


def test_a_target_that_withholds_scores_is_told_which() -> None:
    window = Window.chain([0, 1])
    with pytest.raises(ValueError, match=r"ScoreDetail\.DRAFTED"):
        accept_path(window, Scores(np.array([2, 2])), Threshold(0.5), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"ScoreDetail\.FULL"):
        accept_path(window, Scores(np.array([2, 2])), Sampling(), np.random.default_rng(0))


# Sampling


def joint_distribution(target: ToyTarget, temperature: float) -> np.ndarray:
    """(vocab, vocab) probability of the second and third token, over all first ones."""

    def probabilities(context: list[int]) -> np.ndarray:
        row = target.logits(PROMPT, context).astype(np.float64) / temperature
        return np.exp(row) / np.exp(row).sum()

    vocab = range(target.vocab_size)
    first = probabilities([])
    return sum(
        first[a] * np.stack([probabilities([a])[b] * probabilities([a, b]) for b in vocab]) for a in vocab
    )


@pytest.mark.parametrize("temperature", [0.7, 1.5])
@pytest.mark.parametrize("drafts", ["chain", "tree", "own"])
def test_sampling_keeps_the_distribution(drafts: str, temperature: float) -> None:
    """Chi-square of the second and third token against the model's own probabilities, seeds 0 to n."""
    target = ToyTarget(vocab=6, block_size=4, quality=0.6, stop_bias=-100.0)
    pool = {
        "chain": [[1, 2, 3, 4]],
        "tree": [[a, b, c] for a in range(1, 5) for b in range(1, 5) for c in (1, 2)],
        "own": [],
    }[drafts]
    drafter = "self-spec" if drafts == "own" else "match"
    requests = [
        Request(PROMPT, pool, max_tokens=4, acceptance=Sampling(temperature, seed), loop_guard=None)
        for seed in range(3000)
    ]
    counts = np.zeros((6, 6))
    accepted = 0
    for result in Decoder(target, drafter, max_batch=64).run(requests):
        counts[tuple(result.ids[1:3])] += 1
        accepted += result.trace[2].source.kind != "model"
    assert accepted > 50
    expected = joint_distribution(target, temperature).ravel() * len(requests)
    common = expected > 5
    observed = np.append(counts.ravel()[common], counts.ravel()[~common].sum())
    wanted = np.append(expected[common], expected[~common].sum())
    if wanted[-1] < 5:
        observed, wanted = observed[:-1], wanted[:-1] * observed[:-1].sum() / wanted[:-1].sum()
    assert chisquare(observed, wanted).pvalue > 1e-3


@pytest.mark.parametrize("shape", ["chain", "tree"])
def test_one_window_samples_the_target(shape: str) -> None:
    """The accepted path itself, many times over one window: first and second token, drafted and free alike."""
    dice = np.random.default_rng(5)
    first, after = dice.dirichlet(np.ones(5)), dice.dirichlet(np.ones(5), size=5)
    if shape == "chain":
        window, drafted = Window.tree([9, 2, 1], [-1, 0, 1]), [2]
    else:
        window, drafted = Window.tree([9, 2, 1, 4, 0, 3], [-1, 0, 1, 0, 1, 3]), [2, 4]
    rows = [
        first if parent < 0 else after[token]
        for token, parent in zip(window.tokens, window.parents, strict=True)
    ]
    logprobs = np.log(np.stack(rows)).astype(np.float32)
    scores = Scores(logprobs.argmax(1), logprobs=logprobs)
    random = np.random.default_rng(1)
    firsts, seconds, runs = np.zeros(5), np.zeros((5, 5)), 20_000
    for _ in range(runs):
        tokens = accept_path(window, scores, Sampling(1.0), random).tokens
        firsts[tokens[0]] += 1
        if tokens[0] in drafted:
            seconds[tokens[0], tokens[1]] += 1
    assert chisquare(firsts, first * runs).pvalue > 1e-3
    for token in drafted:
        assert chisquare(seconds[token], after[token] * seconds[token].sum()).pvalue > 1e-3


def test_a_seed_gives_the_same_text_with_and_without_drafts() -> None:
    target = ToyTarget(stop_bias=-100.0)
    texts = []
    for drafts in ([], [plain(target, PROMPT, 40, temperature=1.0, seed=4)], [[1, 2, 3]]):
        request = Request(PROMPT, drafts, max_tokens=40, acceptance=Sampling(1.0, seed=4))
        texts.append(Decoder(target, "auto", costs=ForwardCosts.flat()).run([request])[0].ids)
    assert texts[0] == texts[1] == texts[2] == plain(target, PROMPT, 40, temperature=1.0, seed=4)


# Repetition penalty


def test_penalty_works_on_logits_position_by_position() -> None:
    logits = np.array([[2.0, 1.5, -1.0, 0.1]], dtype=np.float32)
    norm = np.log(np.exp(logits).sum(1))
    scores = Scores(np.array([0]), logprobs=logits - norm[:, None], log_norm=norm)
    penalty = RepetitionPenalty(2.0, [0, 2])
    np.testing.assert_allclose(penalty.logits(scores, 0, []), [1.0, 1.5, -2.0, 0.1], rtol=1e-5)
    np.testing.assert_allclose(penalty.logits(scores, 0, [1]), [1.0, 0.75, -2.0, 0.1], rtol=1e-5)
    penalty.saw([3])
    np.testing.assert_allclose(penalty.logits(scores, 0, []), [1.0, 1.5, -2.0, 0.05], rtol=1e-5)
    window = Window.chain([3, 1])
    both = Scores(
        np.array([0, 0]),
        logprobs=np.repeat(scores.logprobs, 2, 0),
        log_norm=np.repeat(norm, 2),
    )
    # after committing 1 the model would say 1 again, which its own path now penalises
    assert accept_path(window, both, Exact(), np.random.default_rng(0), penalty).tokens == [1, 0]


@pytest.mark.parametrize("drafter", ["match", "self-spec", "auto"])
def test_penalty_with_drafts_equals_the_plain_loop(drafter: str) -> None:
    target = ToyTarget(vocab=12, quality=0.9, stop_bias=-100.0)
    changed = 0
    for prompt in range(15):
        text = plain(target, prompt, 50, penalty=1.4, prompt_ids=[1, 2])
        changed += text != plain(target, prompt, 50)
        request = Request(
            prompt, [text], max_tokens=50, repetition_penalty=1.4, prompt_ids=[1, 2], loop_guard=None
        )
        (result,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run([request])
        assert result.ids == text
    assert changed > 10
    assert set(target.details) == {ScoreDetail.FULL} or drafter == "ar"
