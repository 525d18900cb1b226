"""Pools and the matcher by themselves."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from galley.decoding import DraftPool, MatchLimits
from galley.decoding.matching import DraftMatcher, MatchKind, MatchOdds
from galley.decoding.pool import DraftPosition

# Pools


def test_every_place_is_found() -> None:
    pool = DraftPool([[1, 2, 3, 4, 1, 2, 3, 5], [9, 1, 2, 3, 6], [1, 2, 3]])
    assert pool.find([0, 1, 2, 3], 3, 3) == [DraftPosition(0, 3), DraftPosition(0, 7), DraftPosition(1, 4)]
    assert pool.find([2, 2, 3], 3, 3) == []
    assert pool.find([2, 3], 3, 3) == []


def test_overlapping_places_are_found() -> None:
    assert pool_positions(DraftPool([[7, 7, 7, 7, 8]]), [7, 7], 2, 2) == [2, 3, 4]


def pool_positions(pool: DraftPool, context: list[int], n: int, grown: int) -> list[int]:
    return [match.position for match in pool.find(context, n, grown)]


def test_the_window_grows_while_several_places_match() -> None:
    pool = DraftPool([[5, 1, 2, 3, 4, 6, 1, 2, 3, 7]])
    assert pool_positions(pool, [6, 1, 2, 3], 3, 32) == [9]
    assert pool_positions(pool, [8, 1, 2, 3], 3, 32) == [4, 9]  # growth would leave none
    assert pool_positions(pool, [6, 1, 2, 3], 3, 3) == [4, 9]


def test_growing_drafts_are_searched_to_their_end() -> None:
    pool = DraftPool()
    number = pool.add([1, 2])
    assert pool.find([1, 2], 2, 8) == []
    pool.extend(number, [3])
    assert pool.find([1, 2], 2, 8) == [DraftPosition(number, 2)]
    assert pool[number] == [1, 2, 3]


VOCABULARY = [
    "The",
    " cat",
    " sat",
    ".",
    "。",
    " ",
    "ＴＨＥ",
    "cat",
    "\n",
    ",",
    "sat",
    " on",
    " mat",
    " c",
    "at",
    "!",
]


def key(token: int) -> str:
    """Letters and digits, width and case folded."""
    return "".join(c for c in unicodedata.normalize("NFKC", VOCABULARY[token]).lower() if c.isalnum())


def ids(*texts: str) -> list[int]:
    return [VOCABULARY.index(text) for text in texts]


@pytest.mark.parametrize(
    "context",
    [
        ids("The", " cat", " sat"),
        ids("ＴＨＥ", "\n", "cat", "sat"),
        ids("The", ",", " cat", " ", "sat"),
    ],
)
def test_width_punctuation_and_spaces_do_not_hide_a_match(context: list[int]) -> None:
    pool = DraftPool([ids("!", "The", " ", "cat", " sat", " on", " mat")], key)
    assert pool.find(context, 3, 8) == [DraftPosition(0, 5)]


def test_another_tokenisation_matches_up_to_a_token_border() -> None:
    pool = DraftPool([ids("The", " c", "at", " sat", " on")], key)
    assert pool.find(ids("The", " cat"), 2, 8) == [DraftPosition(0, 3)]
    assert pool.find(ids("The", " c"), 2, 8) == [DraftPosition(0, 2)]
    assert DraftPool([ids("The", " cat", " sat")], key).find(ids("The", " c"), 2, 8) == []


def test_punctuation_already_written_is_not_proposed_again() -> None:
    pool = DraftPool([ids("The", " cat", ".", " ", " sat")], key)
    assert pool.find(ids("The", " cat"), 2, 8) == [DraftPosition(0, 2)]
    assert pool.find(ids("The", " cat", "。"), 2, 8) == [DraftPosition(0, 3)]
    assert pool.find(ids("The", " cat", "。", "\n"), 2, 8) == [DraftPosition(0, 4)]
    assert pool.find(ids("The", " cat", "。", "\n", ","), 2, 8) == [DraftPosition(0, 4)]


def test_counting_by_id_and_by_key() -> None:
    pool = DraftPool([ids(".", ".", ".", "The", " cat", "ＴＨＥ", "cat")], key)
    assert pool.count(ids(".")) == 3
    assert pool.count(ids("The", " cat")) == 2


# The matcher


def drafted(matcher: DraftMatcher, committed: list[int], max_draft: int = 100) -> list[list[int]]:
    return [found.tokens.tolist() for found in matcher.drafts(committed, max_draft)]


def matcher_of(*drafts: list[int], limits: MatchLimits | None = None) -> DraftMatcher:
    return DraftMatcher(DraftPool(drafts), limits or MatchLimits(), MatchOdds())


def test_a_single_match_proposes_the_whole_rest() -> None:
    long = list(range(1, 400))
    assert drafted(matcher_of(long), [50, 51, 52], 1000) == [long[52:]]
    assert drafted(matcher_of(long), [50, 51, 52], 10) == [long[52:62]]


def test_several_matches_propose_short_drafts() -> None:
    drafts = [[1, 2, 3, *range(10, 60)], [1, 2, 3, *range(70, 99)]]
    found = drafted(matcher_of(*drafts), [7, 1, 2, 3])
    assert found == [list(range(10, 25)), list(range(70, 85))]


def test_the_beginning_of_the_output_may_begin_drafts() -> None:
    assert drafted(matcher_of([1, 2, 3], [4, 5]), [4]) == [[5]]
    assert drafted(matcher_of([1, 2, 3], [1, 4]), [1]) == [[2, 3], [4]]


def test_a_foreign_first_token_replaces_or_precedes_the_draft() -> None:
    assert drafted(matcher_of([1, 2, 3]), [9]) == [[2, 3], [1, 2, 3], [3]]


def test_a_used_up_draft_lets_the_others_begin() -> None:
    matcher = matcher_of([1, 2, 3], [4, 5, 6], [7, 8])
    assert drafted(matcher, [1]) == [[2, 3]]
    matcher.follow([2, 3, 9])
    assert sorted(drafted(matcher, [1, 2, 3, 9]), key=len)[-1] in ([4, 5, 6], [5, 6])
    matcher.follow([4, 5, 6, 50])
    found = drafted(matcher, [1, 2, 3, 9, 4, 5, 6, 50])
    assert [7, 8] in found
    assert not any({1, 2, 3, 4, 5, 6} & set(tokens) for tokens in found)


def test_a_draft_is_taken_up_behind_a_substitution() -> None:
    matcher = matcher_of(list(range(1, 40)))
    assert drafted(matcher, [1], 5) == [[2, 3, 4, 5, 6]]
    matcher.follow([2, 3, 99])
    assert drafted(matcher, [1, 2, 3, 99], 4)[0] == [5, 6, 7, 8]


def test_odds_learn_from_what_was_committed() -> None:
    odds = MatchOdds()
    before = odds.of(MatchKind.MATCH, 3)
    assert (np.diff(before) < 0).all()
    for _ in range(30):
        odds.see(MatchKind.MATCH, 0, True)
    assert odds.of(MatchKind.MATCH, 3)[0] < before[0] / 2
    child = MatchOdds(odds)
    assert child.of(MatchKind.MATCH, 1) == pytest.approx(odds.of(MatchKind.MATCH, 1))
    for _ in range(30):
        child.see(MatchKind.MATCH, 10, False)
    assert odds.of(MatchKind.MATCH, 1) < child.of(MatchKind.MATCH, 1)


def test_a_match_that_ends_inside_the_last_token_is_none() -> None:
    keys = {1: "ab", 2: "cde", 3: "c"}
    pool = DraftPool([[1, 2]], keys.__getitem__)
    assert pool.find([1, 3], shortest=2, longest=4) == []
    assert pool.find([1], shortest=1, longest=4) == [(0, 1)]


def weighted(matcher: DraftMatcher, committed: list[int]) -> list[tuple[list[int], float]]:
    """The drafts with the odds of their first tokens."""
    return [(found.tokens.tolist(), float(found.odds[0])) for found in matcher.drafts(committed, 100)]


def test_places_share_the_odds_of_their_kind() -> None:
    """By the priors: a match is right in 8 of 10 cases, an expectation in 5, a weaker match in 2."""
    two = matcher_of([1, 2, 3, 4], [1, 2, 3, 5])
    assert weighted(two, [9, 9, 1, 2, 3]) == [([4], pytest.approx(0.4)), ([5], pytest.approx(0.4))]
    assert weighted(matcher_of([1, 2, 3, 4]), [9, 1, 2, 3]) == [([4], pytest.approx(0.8))]
    agreeing = matcher_of([1, 2], [1, 3], [7, 8])
    assert weighted(agreeing, [1]) == [([2], pytest.approx(0.25)), ([3], pytest.approx(0.25))]
    shifted = weighted(matcher_of([1, 2, 3]), [9])
    assert [tokens for tokens, _ in shifted] == [[2, 3], [1, 2, 3], [3]]
    assert [odds for _, odds in shifted] == pytest.approx([0.25, 0.125, 0.125])


def test_fewer_tokens_match_as_a_last_resort() -> None:
    for weakest, recent, found in (
        (1, [9, 2], [[3]]),
        (1, [1, 2], [[3]]),
        (2, [9, 2], []),
        (2, [1, 2], [[3]]),
    ):
        matcher = matcher_of([1, 2, 3], limits=MatchLimits(weakest=weakest))
        matcher.follow([50, 51, 52, 53])
        assert weighted(matcher, [50, 51, 52, 53, *recent]) == [
            (tokens, pytest.approx(0.2)) for tokens in found
        ]


def test_the_draft_that_is_followed_has_half_the_odds_until_it_agreed_for_long() -> None:
    drafts = [[1, 10, 11, 12], [7, 1, 10, 13], [6, 1, 10, 14]]
    matcher = matcher_of(*drafts, limits=MatchLimits(n=2))
    assert drafted(matcher, [1]) == [[10, 11, 12]]
    matcher.follow([10])
    found = weighted(matcher, [1, 10])
    assert [tokens for tokens, _ in found] == [[11, 12], [13], [14]]
    assert [odds for _, odds in found] == pytest.approx([0.97 / 2, 0.97 / 4, 0.97 / 4])
    matcher = matcher_of(drafts[0], [5, 1, 10, 11, 15], limits=MatchLimits(n=2))
    drafted(matcher, [1])
    matcher.follow([10, 11])  # as many as must match
    assert drafted(matcher, [1, 10, 11]) == [[12]]


def test_drafts_that_were_wrong_from_the_start_are_still_expected() -> None:
    matcher = matcher_of([1, 2, 3], [4, 5])
    drafted(matcher, [9])
    matcher.follow([50])
    assert drafted(matcher, [9, 50]) == [[3], [2, 3], [5]]


def test_what_is_learnt_of_a_place() -> None:
    """That it was right counts once, its other tokens count as going on; the end of a draft is no mistake."""
    odds = MatchOdds()
    odds.see(MatchKind.MATCH, 3, True)
    assert odds._entry[MatchKind.MATCH]._trials == pytest.approx(256 / 257)
    assert odds._onward._hits == pytest.approx(2 * 256 / 259)
    assert odds._onward._trials == pytest.approx(3 * 256 / 259)
    odds.see(MatchKind.CURRENT, 0, True)
    assert odds._entry[MatchKind.CURRENT]._hits == 0 and odds._entry[MatchKind.CURRENT]._trials > 0.9
    odds.see(MatchKind.WEAKER, 0, False)
    assert odds._entry[MatchKind.WEAKER]._trials == 0
    for written, missed in (([2, 3, 4], 0), ([2, 3], 0), ([2, 9], 1)):
        matcher = matcher_of([1, 2, 3])
        drafted(matcher, [1])
        matcher.follow(written)
        onward = matcher._odds._onward
        assert onward._trials - onward._hits == pytest.approx(missed, abs=0.01)
