"""Prefix trees and windows: what is merged, what is cut, who sees whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from galley.decoding import Source, Window
from galley.decoding.tree import Draft, PrefixTree


def draft(tokens: list[int], odds: list[float], number: int = 0) -> Draft:
    return Draft(np.array(tokens), np.array(odds), Source("match", number))


def test_drafts_share_what_they_begin_with_and_their_odds_add_up_to_at_most_one() -> None:
    tree = PrefixTree(7)
    tree.add(draft([1, 2, 3], [0.5, 0.4, 0.3]))
    tree.add(draft([1, 4], [0.4, 0.3], 1))
    tree.add(draft([1, 2], [0.3, 0.2], 2))
    assert tree.tokens == [7, 1, 2, 3, 4]
    assert tree.parents == [-1, 0, 1, 2, 1]
    assert tree.odds == pytest.approx([1.0, 1.0, 0.6, 0.3, 0.3])
    assert [source.draft for source in tree.sources] == [None, 0, 0, 0, 1]


def test_the_likeliest_nodes_are_a_tree_that_can_grow_on() -> None:
    tree = PrefixTree(7)
    tree.add(draft([1, 2, 3], [0.5, 0.2, 0.1]))
    tree.add(draft([4, 5], [0.4, 0.3], 1))
    assert tree.likeliest(6) is tree
    cut = tree.likeliest(4)
    assert (cut.tokens, cut.parents) == ([7, 1, 4, 5], [-1, 0, 0, 2])
    assert cut.odds == [1.0, 0.5, 0.4, 0.3] and cut.sources[3].draft == 1
    cut.add(draft([4, 5, 6], [0.1, 0.1, 0.1]))
    assert cut.tokens == [7, 1, 4, 5, 6] and cut.parents[4] == 3
    for count in (0, 1):
        assert tree.likeliest(count).tokens == [7]


@given(
    st.lists(st.tuples(st.lists(st.integers(0, 3), max_size=8), st.floats(0.1, 1.0)), max_size=6),
    st.integers(0, 40),
)
def test_any_number_of_likeliest_nodes_is_a_tree(drafts: list[tuple[list[int], float]], count: int) -> None:
    tree = PrefixTree(9)
    for tokens, rate in drafts:
        tree.add(
            Draft(np.array(tokens, dtype=np.int64), rate ** np.arange(1, len(tokens) + 1), Source("match", 0))
        )
    pruned = tree.likeliest(count)
    assert len(pruned) == max(1, min(count, len(tree)))
    assert pruned.window().children is not None
    assert sorted(pruned.odds, reverse=True) == pytest.approx(sorted(tree.odds, reverse=True)[: len(pruned)])


def test_acceptance_ends_somewhere() -> None:
    tree = PrefixTree(7)
    tree.add(draft([1, 2], [0.5, 0.2]))
    tree.add(draft([4], [0.4], 1))
    assert tree.ending_odds() == pytest.approx([0.1, 0.3, 0.2, 0.4])
    assert tree.ending_odds().sum() == pytest.approx(1.0)
    tree.add(draft([5], [0.4], 2))
    assert tree.ending_odds()[0] == 0.0


def sees(window: Window) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in window.sees]


def test_a_chain_is_a_causal_tree() -> None:
    chain, tree = Window.chain([7, 8, 9]), Window.tree([7, 8, 9], [-1, 0, 1])
    assert chain.causal and tree.causal
    assert (chain.sees == tree.sees).all() and (chain.sees == np.tri(3, dtype=bool)).all()
    assert chain.depths.tolist() == [0, 1, 2]


def test_a_drafting_window() -> None:
    window = Window.drafting(5, 99, 3)
    assert window.tokens.tolist() == [5, 99, 99, 99]
    assert window.depths.tolist() == [0, 1, 2, 3]
    assert window.sees.tolist() == [[True, False, False, False]] + [[True] * 4] * 3
    assert window.parents.tolist() == [-1] * 4
    assert not window.causal


def test_slots_of_a_tree_see_their_path() -> None:
    window = Window.tree([7, 1, 2, 4, 5], [-1, 0, 1, 0, 3])
    assert sees(window) == [[0], [0, 1], [0, 1, 2], [0, 3], [0, 3, 4]]
    assert window.depths.tolist() == [0, 1, 2, 1, 2]
    assert window.children == [[1, 3], [2], [], [4], []]
    assert not window.causal and Window.tree([7, 1], [-1, 0]).causal
    for parents in ([-1, 1], [-1, 2], [-1, -2], [-2, 0]):
        with pytest.raises(ValueError, match="comes before its child"):
            Window.tree([7, 1], parents)


def test_a_block_sees_its_anchors_path_and_itself_and_is_seen_by_nobody() -> None:
    tree = Window.tree([7, 1, 2], [-1, 0, 0])
    window = tree.with_blocks([(2, [9, 9]), (0, []), (0, [8])])
    assert sees(window) == [[0], [0, 1], [0, 2], [0, 2, 3, 4], [0, 2, 3, 4], [0, 5]]
    assert window.depths.tolist() == [0, 1, 1, 2, 3, 1]
    assert window.parents.tolist() == [-1, 0, 0, -1, -1, -1]
    assert window.tokens.tolist() == [7, 1, 2, 9, 9, 8]
    assert not window.causal
    assert Window.chain([5]).with_blocks([(0, [])]).causal
