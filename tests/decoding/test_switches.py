"""What the matcher does beyond HSD, switched off piece by piece; and drafts that are withdrawn."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_exact import QUICK, decode_and_compare
from toy_target import ToyTarget, plain

from galley.decoding import Decoder, DraftMatching, DraftPool, Finish, MatchLimits, Request
from galley.decoding.matching import DraftMatcher, MatchOdds

PAPER = MatchLimits(
    grown=3, depth=512, chain=512, places=512, weakest=3, resume=False, begin=False, by_key=False
)


def drafted(matcher: DraftMatcher, committed: list[int], max_draft: int = 100) -> list[list[int]]:
    return [found.tokens.tolist() for found in matcher.drafts(committed, max_draft)]


def matcher_of(*drafts: list[int], **switches: object) -> DraftMatcher:
    return DraftMatcher(DraftPool(drafts), MatchLimits(**switches), MatchOdds())  # type: ignore[arg-type]


def test_without_begin_nothing_is_expected_at_the_start() -> None:
    assert drafted(matcher_of([1, 2, 3, 4], weakest=3), [9]) != []
    assert drafted(matcher_of([1, 2, 3, 4], weakest=3, begin=False), [9]) == []


def test_without_resume_a_mismatch_waits_for_n_tokens() -> None:
    for resume, wanted in ((True, [[6, 7, 8]]), (False, [])):
        matcher = matcher_of([1, 2, 3, 4, 5, 6, 7, 8], weakest=3, begin=False, resume=resume)
        assert drafted(matcher, [1, 2, 3]) == [[4, 5, 6, 7, 8]]
        matcher.follow([4, 99])
        assert drafted(matcher, [1, 2, 3, 4, 99])[:1] == wanted
        matcher.follow([6, 7])
        assert drafted(matcher, [1, 2, 3, 4, 5, 6, 7]) == [[8]]


def test_without_weakest_fewer_than_n_tokens_do_not_match() -> None:
    assert drafted(matcher_of([1, 2, 3, 4], begin=False), [9, 3]) == [[4]]
    assert drafted(matcher_of([1, 2, 3, 4], begin=False, weakest=3), [9, 3]) == []


@pytest.mark.parametrize("grown", [0, 1, 3])
def test_without_growth_all_places_are_taken(grown: int) -> None:
    drafts = [5, 1, 2, 3, 4, 6, 1, 2, 3, 7]
    assert len(drafted(matcher_of(drafts), [6, 1, 2, 3])) == 1
    assert len(drafted(matcher_of(drafts, grown=grown), [6, 1, 2, 3])) == 2


def test_without_keys_ids_are_compared() -> None:
    pool = DraftPool([[1, 2, 3, 50]], key=lambda token: str(token % 10))
    assert [place.position for place in pool.find([11, 12, 13], 3, 8)] == [3]
    assert pool.find([11, 12, 13], 3, 8, by_key=False) == []
    assert [place.position for place in pool.find([1, 2, 3], 3, 8, by_key=False)] == [3]
    assert pool.same([1], [11]) and not pool.same([1], [11], by_key=False)


@QUICK
@given(seed=st.integers(0, 2**32))
def test_no_switch_changes_a_token(seed: int) -> None:
    usual = MatchLimits()
    limits = [
        PAPER,
        replace(usual, grown=0),
        replace(usual, resume=False),
        replace(usual, begin=False),
        replace(usual, by_key=False),
        replace(usual, weakest=3, n=3),
    ]
    drafters = [DraftMatching(one, nodes) for one in limits for nodes in (8, 512)]
    decode_and_compare(ToyTarget(block_size=None), drafters, seed)


def test_a_replaced_draft_is_not_matched_any_more() -> None:
    pool = DraftPool([[1, 2, 3, 4, 5], [7, 8, 9]])
    pool.replace(0, [20, 21, 22, 23])
    assert pool.find([1, 2, 3], 3, 8) == [] and pool.count([1, 2]) == 0
    assert [tuple(place) for place in pool.find([20, 21, 22], 3, 8)] == [(0, 3)]
    assert (pool.edition(0), pool.edition(1), len(pool)) == (1, 0, 2)


def test_a_follower_of_a_replaced_draft_lets_go_of_it() -> None:
    pool = DraftPool([[1, 2, 3, 4, 5, 6, 7, 8]])
    matcher = DraftMatcher(pool, MatchLimits(), MatchOdds())
    assert drafted(matcher, [1, 2, 3]) == [[4, 5, 6, 7, 8]]
    matcher.follow([4, 5])
    pool.replace(0, [30, 31, 32])
    # Where the text had stood nothing is taken up; what the draft holds now may begin.
    assert drafted(matcher, [1, 2, 3, 4, 5]) == [[30, 31, 32]]


def test_a_draft_may_be_replaced_while_its_proposal_is_verified() -> None:
    pool = DraftPool([[1, 2, 3, 4, 5, 6, 7, 8]])
    matcher = DraftMatcher(pool, MatchLimits(), MatchOdds())
    drafted(matcher, [1, 2, 3])
    pool.replace(0, [30])
    matcher.follow([4, 5, 6])
    assert drafted(matcher, [1, 2, 3, 4, 5, 6]) == []
    assert drafted(matcher, [1, 2, 3, 4, 5, 6, 28, 29, 30]) == []


def test_pools_that_lose_drafts_change_no_token() -> None:
    """Regions that withdraw at any time, before the eyes of a page that follows them."""
    target, rng = ToyTarget(block_size=None, stop_bias=-100.0), random.Random(3)
    for prompt in range(30):
        text = plain(target, prompt, 120)
        pool = DraftPool([text[:60], text[50:], [rng.randrange(38) for _ in range(30)]])
        decoder = Decoder(target, "match")
        decoder.add(Request(prompt, pool, max_tokens=120, loop_guard=None))
        results = []
        while decoder.busy:
            results += decoder.step()
            if rng.random() < 0.3:
                pool.replace(rng.randrange(3), text[rng.randrange(120) :] if rng.random() < 0.5 else [])
        assert results[0].ids == text


def test_the_end_of_every_request_is_told_once() -> None:
    target = ToyTarget(block_size=None, stop_bias=-100.0)
    told: list[tuple[int, Finish]] = []

    def request(prompt: object, length: int, **more: object) -> Request:
        made = Request(prompt, max_tokens=length, loop_guard=None, **more)  # type: ignore[arg-type]
        made.on_finish = lambda result: told.append((result.ticket, result.finish))
        return made

    decoder = Decoder(target, "ar", max_batch=2)
    decoder.add(request(1, 3))
    cancelled = decoder.add(request(2, 50))
    unstartable = decoder.add(request(3, 50, drafter=DraftMatchingThatFails()))
    waiting = decoder.add(request(4, 50))
    decoder.step()
    decoder.cancel(cancelled)
    decoder.cancel(waiting)
    while decoder.busy:
        decoder.step()
    assert sorted(told) == [
        (0, Finish.LENGTH),
        (cancelled, Finish.CANCELLED),
        (unstartable, Finish.ERROR),
        (waiting, Finish.CANCELLED),
    ]


class DraftMatchingThatFails(DraftMatching):
    def start(self, *arguments: object, **more: object) -> None:  # type: ignore[override]
        raise RuntimeError("no drafts")
