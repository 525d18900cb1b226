"""Positions that follow the reading."""

from __future__ import annotations

import numpy as np
import pytest

from galley.decoding import Window
from galley.targets.nano.follow import START, Follower, position
from galley.targets.nano.tokens import Vocabulary

from .nano_parts import tiny_vocabulary


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return tiny_vocabulary()


def follower(vocabulary: Vocabulary, ids: list[int]) -> Follower:
    return Follower.of(np.array(ids), vocabulary)


def places(vocabulary: Vocabulary, reading: list[int], response: list[int]) -> list[int]:
    return [place.at for place in follower(vocabulary, reading).walk(np.array(response))]


def test_a_copy_goes_step_by_step(vocabulary: Vocabulary) -> None:
    assert places(vocabulary, [20, 21, 20, 23], [20, 21, 20, 23]) == [0, 1, 2, 3]


def test_a_misread_token_costs_no_alignment(vocabulary: Vocabulary) -> None:
    # One token read as two: after two tokens that match again, the place is right.
    assert places(vocabulary, [20, 90, 91, 22, 23, 24], [20, 21, 22, 23, 24]) == [0, 1, 2, 4, 5]
    # Two tokens read as one.
    assert places(vocabulary, [20, 90, 22, 23, 24], [20, 21, 50, 22, 23, 24]) == [0, 1, 2, 3, 3, 4]


def test_far_moves_need_three_tokens(vocabulary: Vocabulary) -> None:
    filling = list(range(100, 140))
    assert places(vocabulary, [*filling, 21, 22, 23], [21, 22, 23]) == [0, 1, 42]


def test_markup_stands_for_breaks_and_empty_cells_move_nothing(vocabulary: Vocabulary) -> None:
    begin, cell, end = (vocabulary.id_of(t) for t in ("<table><tr><td>", "</td><td>", "</td></tr></table>"))
    brk = vocabulary.brk
    reading = [brk, 20, brk, 21]
    assert places(vocabulary, reading, [begin, 20, cell, 21, end]) == [0, 1, 2, 3, 4]
    assert places(vocabulary, reading, [begin, 20, cell, cell, cell, 21]) == [0, 1, 2, 2, 2, 3]
    drafted_empty = [brk, 20, brk, brk, 21]
    assert places(vocabulary, drafted_empty, [begin, 20, cell, cell, 21]) == [0, 1, 2, 3, 4]
    spanning = vocabulary.encode('</td><td colspan="2">')
    assert places(vocabulary, reading, [begin, 20, *spanning, 21]) == [0, 1, *[2] * len(spanning), 3]


def test_windows_follow_each_path_on_its_own(vocabulary: Vocabulary) -> None:
    reading = [20, 90, 91, 22, 23, 24, 25]
    one = follower(vocabulary, reading)
    response = np.array([20, 21, 22, 23, 24])
    whole = one.walk(response)
    for cut in range(len(response)):
        start = whole[cut - 1] if cut else START
        positions, after = one.window(Window.chain(response[cut:]), start)
        assert positions.tolist() == [position(place) for place in whole[cut:]]
        assert after == whole[cut:]
    # Siblings: the right continuation, and a wrong one, of the same parent.
    tree = Window.tree([22, 23, 99, 24, 24], [-1, 0, 0, 1, 2])
    positions, _ = one.window(tree, whole[1])
    assert positions[[0, 1, 3]].tolist() == [position(place) for place in whole[2:5]]
    assert positions[4] == positions[2] + 1


def test_masks_count_on_from_their_anchor(vocabulary: Vocabulary) -> None:
    one = follower(vocabulary, [20, 90, 91, 22, 23, 24, 25])
    start = one.walk(np.array([20, 21, 22]))[-1]
    positions, _ = one.window(Window.drafting(23, vocabulary.mask, 3), start)
    assert positions.tolist() == [5, 6, 7, 8]
    after_tree = Window.chain([23, 24]).with_blocks([(0, [vocabulary.mask] * 2), (1, [vocabulary.mask, 25])])
    positions, _ = one.window(after_tree, start)
    assert positions.tolist() == [5, 6, 6, 7, 7, 8]
