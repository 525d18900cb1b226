"""Direct block diffusion: steps, cache writes, stops, and its way of counting."""

from __future__ import annotations

import pytest
from toy_target import ToyTarget, plain

from galley.decoding import Finish, diffuse

ENDLESS = -100.0


def test_a_perfect_drafter_writes_a_block_per_step() -> None:
    target = ToyTarget(block_size=8, quality=1.0, stop_bias=ENDLESS)
    result = diffuse(target, 1, max_tokens=33, tau_c=0.05)
    assert result.ids == plain(target, 1, 33)
    assert result.finish is Finish.LENGTH
    stats = result.stats
    assert (stats.prefill_forwards, stats.draft_forwards, stats.write_forwards) == (1, 4, 4)
    assert stats.tpf == 8.0
    assert target.handles[0].released


def test_an_unsure_drafter_reveals_one_token_per_step() -> None:
    target = ToyTarget(block_size=4, quality=0.5, stop_bias=ENDLESS)
    result = diffuse(target, 1, max_tokens=13, tau_c=0.9999)
    assert result.stats.draft_forwards == 12
    assert result.stats.tpf == 1.0
    assert len(result.ids) == len(result.trace) == 13


def test_a_limit_within_a_block_cuts_the_block() -> None:
    target = ToyTarget(block_size=8, quality=1.0, stop_bias=ENDLESS)
    result = diffuse(target, 1, max_tokens=30, tau_c=0.05)
    assert (result.ids, result.finish) == (plain(target, 1, 30), Finish.LENGTH)
    assert len(result.trace) == 30


def test_the_text_is_cut_at_the_first_stop() -> None:
    target = ToyTarget(block_size=8, quality=1.0, stop_bias=ENDLESS)
    text = plain(target, 1, 40)
    target.stop_ids = frozenset({text[12]})
    result = diffuse(target, 1, tau_c=0.05)
    first = text.index(text[12])
    assert (result.ids, result.finish) == (text[:first], Finish.STOP)
    assert result.stats.tokens == first + 1


def test_a_stop_right_after_the_prompt() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    target.stop_ids = frozenset(plain(target, 1, 1))
    result = diffuse(target, 1)
    assert (result.ids, result.finish, result.stats.tpf) == ([], Finish.STOP, 0.0)


def test_a_model_without_masks_is_refused() -> None:
    with pytest.raises(ValueError, match="no mask token"):
        diffuse(ToyTarget(block_size=None), 1)


def test_a_senseless_threshold_is_refused() -> None:
    with pytest.raises(ValueError, match="tau_c"):
        diffuse(ToyTarget(), 1, tau_c=0.0)
