"""What becomes of the drafting blocks that ride along with a tree."""

from __future__ import annotations

import numpy as np
import pytest

from galley.decoding import Scores
from galley.decoding.accept import Outcome
from galley.decoding.drafters import DraftWindow
from galley.decoding.drafters.auto import self_draft
from galley.decoding.tree import Draft, PrefixTree, Source

MASKS = np.full(3, 99)


def riding(*anchors: int) -> DraftWindow:
    """x0, a chain 1 2 behind it and a block of three masks behind each anchor."""
    tree = PrefixTree(7)
    tree.add(Draft(np.array([1, 2]), np.array([0.9, 0.8]), Source("match", 0)))
    return DraftWindow(tree, [(anchor, MASKS) for anchor in anchors])


def scores(*blocks: list[int]) -> Scores:
    argmax = np.array([1, 2, 3, *[token for block in blocks for token in block]])
    return Scores(argmax, np.full(len(argmax), -0.2, dtype=np.float32))


def drafted(draft_window: DraftWindow, given: Scores, outcome: Outcome) -> list[int] | None:
    draft = self_draft(draft_window, given, outcome, 0.9)
    return None if draft is None else draft.tokens.tolist()


def test_a_block_behind_the_end_of_the_path_is_the_next_draft() -> None:
    outcome = Outcome([0, 1, 2], [1, 2, 3])
    assert drafted(riding(2), scores([4, 5, 6]), outcome) == [4, 5, 6]


def test_a_block_behind_a_rejected_token_is_worth_nothing() -> None:
    assert drafted(riding(2), scores([4, 5, 6]), Outcome([0], [8])) is None


def test_an_earlier_block_counts_if_it_drafted_what_was_committed() -> None:
    outcome = Outcome([0, 1], [1, 2])
    assert drafted(riding(0), scores([2, 5, 6]), outcome) == [5, 6]
    assert drafted(riding(0), scores([4, 5, 6]), outcome) is None


def test_the_deepest_block_knows_most() -> None:
    outcome = Outcome([0, 1], [1, 2])
    assert drafted(riding(0, 1), scores([2, 5, 6], [7, 8, 9]), outcome) == [7, 8, 9]
    assert drafted(riding(1, 0), scores([7, 8, 9], [2, 5, 6]), outcome) == [7, 8, 9]


def test_a_block_that_is_all_committed_has_nothing_left() -> None:
    outcome = Outcome([0, 1, 2], [1, 2, 3])
    short = DraftWindow(riding().tree, [(0, MASKS[:2])])
    assert drafted(short, scores([2, 3]), outcome) is None


def test_odds_lie_between_the_claim_and_what_claims_were_worth() -> None:
    draft = self_draft(riding(2), scores([4, 5, 6]), Outcome([0, 1, 2], [1, 2, 3]), 0.5)
    assert draft is not None
    step = float(np.exp(-0.1) * np.sqrt(0.5))
    assert draft.odds == pytest.approx([step, step**2, step**3])
