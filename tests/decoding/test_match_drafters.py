"""Windows that drafters of matched text ask for."""

from __future__ import annotations

import pytest
from toy_target import ToyTarget

from galley.decoding import DraftMatching, DraftPool, ForwardCosts, PromptLookup
from galley.decoding.budget import Throughput
from galley.decoding.drafters import DecoderContext, Drafter, DrafterConfig


def started(config: DrafterConfig, drafts: list[list[int]], prompt_ids: list[int] | None = None) -> Drafter:
    costs = ForwardCosts.flat()
    context = DecoderContext(ToyTarget(vocab=100), costs, Throughput(costs))
    return config.start(context, DraftPool(drafts), prompt_ids or [])


def asked(drafter: Drafter, committed: list[int], max_draft: int = 50) -> list[int]:
    drafter.prepare(committed, max_draft)
    window = drafter.draft()
    assert not window.blocks
    return window.window().tokens.tolist()


def test_a_tree_of_several_places_is_cut_to_its_likeliest_nodes() -> None:
    drafts = [[1, 2, 3, 4, 5, 6], [1, 2, 3, 7, 8, 9]]
    assert asked(started(DraftMatching(nodes=3), drafts), [0, 1, 2, 3]) == [3, 4, 5, 7]
    assert asked(started(DraftMatching(), drafts), [0, 1, 2, 3]) == [3, 4, 5, 6, 7, 8, 9]


def test_a_chain_of_one_place_is_not_cut() -> None:
    assert asked(started(DraftMatching(nodes=2), [[1, 2, 3, 4, 5, 6]]), [0, 1, 2, 3]) == [3, 4, 5, 6]


@pytest.mark.parametrize("committed", [[9], [5], [9, 5, 6]])
def test_neither_the_prompt_nor_the_text_is_expected_to_begin_anew(committed: list[int]) -> None:
    """Only where three tokens match does prompt lookup draft."""
    assert asked(started(PromptLookup(), [], [5, 6, 7, 8]), committed) == committed[-1:]


def test_prompt_and_text_are_both_looked_up() -> None:
    prompt = [5, 6, 7, 8, 99, 100, -1]
    assert asked(started(PromptLookup(), [], prompt), [5, 6, 7]) == [
        7,
        8,
        99,
    ]  # no token beyond the vocabulary
    assert asked(started(PromptLookup(), [], prompt), [1, 2, 3, 4, 1, 2, 3]) == [3, 4, 1, 2, 3]
