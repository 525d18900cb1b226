"""Counters by themselves: what a forward counts as, and what its seconds are charged to."""

from __future__ import annotations

import time

import numpy as np
import pytest
from toy_target import ToyMtpTarget, ToyTarget

from galley.decoding import Decoder, Mtp, Request, Scores, Stats
from galley.decoding.penalty import RepetitionPenalty
from galley.decoding.stats import Seconds


def test_a_forward_counts_as_what_its_window_holds() -> None:
    stats = Stats()
    stats.count_forward(drafted=0, masks=0, accepted=0, seconds=1.0)
    stats.count_forward(drafted=0, masks=8, accepted=0, seconds=2.0)
    stats.count_forward(drafted=3, masks=0, accepted=2, seconds=4.0)
    stats.count_forward(drafted=5, masks=4, accepted=0, seconds=8.0)
    assert (stats.plain_forwards, stats.draft_forwards, stats.verify_forwards) == (1, 1, 2)
    assert stats.slots == 1 + 9 + 4 + 10
    assert stats.accepted == [2, 0] and stats.mean_accepted == 1.0
    assert (stats.seconds.draft, stats.seconds.verify) == (2.0, 13.0)


def test_counts_of_several_sequences_add_up() -> None:
    total, one = Stats(), Stats(prefill_forwards=1, tokens=9, accepted=[3])
    one.count_forward(drafted=3, masks=0, accepted=3, seconds=4.0)
    one.seconds.prefill = 0.5
    total.add(one)
    total.add(one)
    assert (total.tokens, total.prefill_forwards, total.verify_forwards, total.slots) == (18, 2, 2, 8)
    assert total.accepted == [3, 3, 3, 3]
    assert (total.seconds.verify, total.seconds.prefill, total.seconds.total) == (8.0, 1.0, 9.0)


def test_nothing_decoded_has_no_speed() -> None:
    assert (Stats().tpf, Stats().aal, Stats().mean_accepted) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("drafter", ["ar", "self-spec"])
def test_a_sequence_is_charged_no_more_than_the_time_that_passed(drafter: str) -> None:
    start = time.perf_counter()
    results = Decoder(ToyTarget(stop_bias=-100.0), drafter).run([Request(p, max_tokens=20) for p in range(3)])
    passed = time.perf_counter() - start
    assert 0 < sum(result.stats.seconds.total for result in results) <= passed
    assert all((result.stats.seconds.draft > 0) == (drafter == "self-spec") for result in results)


@pytest.mark.parametrize("length", range(1, 10))
def test_a_head_is_not_asked_where_nothing_can_be_drafted(length: int) -> None:
    """The first token comes from the prompt, and a round of three drafted tokens writes four."""
    target = ToyMtpTarget(quality=1.0, stop_bias=-100.0)
    (result,) = Decoder(target, Mtp(depth=3)).run([Request(3, max_tokens=length, loop_guard=None)])
    rounds, left = divmod(length - 1, 4)
    assert result.stats.batch_drafts == rounds + (left > 1)
    assert result.stats.plain_forwards == (left == 1)


def test_a_penalty_leaves_tokens_alone_that_the_model_does_not_have() -> None:
    scores = Scores(np.array([0]), logprobs=np.array([[2.0, -1.0, 0.5]], dtype=np.float32))
    penalty = RepetitionPenalty(2.0, [-1, 3, 10**9])
    assert penalty.logits(scores, 0, [-5]).tolist() == [2.0, -1.0, 0.5]
    assert penalty.logits(scores, 0, [0, 1]).tolist() == [1.0, -2.0, 0.5]


def test_all_phases_make_up_the_total() -> None:
    assert Seconds(prefill=1.0, draft=2.0, verify=4.0, draft_search=8.0).total == 15.0
