"""Drafting in several steps: what is filled stays with its token while the boundary moves on."""

from __future__ import annotations

import numpy as np
import pytest
from toy_target import ToyTarget

from galley.decoding import DraftPool, ForwardCosts, Scores, SelfSpeculation
from galley.decoding.accept import Outcome
from galley.decoding.budget import Throughput
from galley.decoding.drafters import DecoderContext, Drafter, DraftWindow

SURE, UNSURE = np.log(0.9), np.log(0.2)


def drafter(block: int, tau_d: float | None = 0.5) -> Drafter:
    target, costs = ToyTarget(vocab=100), ForwardCosts.flat()
    context = DecoderContext(target, costs, Throughput(costs))
    return SelfSpeculation(block_size=block, tau_d=tau_d).start(context, DraftPool(), [])


def round_of(
    drafting: Drafter, committed: list[int], argmax: list[int], sure: list[bool], max_draft: int = 50
) -> DraftWindow:
    """One round: the window that is asked for, then the scores that come back for it."""
    drafting.prepare(committed, max_draft)
    window = drafting.draft()
    confidence = np.where(sure, SURE, UNSURE).astype(np.float32)
    scores = Scores(np.array(argmax), confidence)
    drafting.observe(window, scores, Outcome([0], [argmax[0]], [None]))
    return window


def block_of(window: DraftWindow) -> list[int]:
    [(anchor, ids)] = window.blocks
    assert anchor == 0 and len(window.tree) == 1
    return ids.tolist()


def verified(drafting: Drafter, committed: list[int], max_draft: int = 50) -> list[int]:
    drafting.prepare(committed, max_draft)
    window = drafting.draft()
    assert not window.blocks
    return window.window().tokens.tolist()


def test_sure_tokens_stay_where_they_were_filled_and_the_rest_is_drafted_again() -> None:
    drafting, mask = drafter(4), 99
    first = round_of(drafting, [10], [11, 12, 13, 14, 15], [True, True, False, True, False])
    assert block_of(first) == [mask] * 4
    second = round_of(drafting, [10, 11], [12, 23, 24, 25, 26], [True, False, True, False, True])
    assert block_of(second) == [12, mask, 14, mask]
    # 14 is kept as it was filled; of the other two the surer one is filled, the later being as unsure as the first.
    third = round_of(drafting, [10, 11, 12], [23, 34, 35, 36], [True, False, True, False])
    assert block_of(third) == [23, 14, mask]
    # The boundary is 23, the token that was filled for it; 14 is still kept, and the last mask is filled.
    assert verified(drafting, [10, 11, 12, 23]) == [23, 14, 35]


def test_one_shot_takes_all_masks_at_once() -> None:
    drafting = drafter(3, tau_d=None)
    first = round_of(drafting, [10], [11, 12, 13, 14], [True, False, False, False])
    assert block_of(first) == [99] * 3
    assert verified(drafting, [10, 11]) == [11, 12, 13, 14]


def test_a_mask_as_sure_as_tau_d_is_not_filled() -> None:
    """Masks whose probability exceeds tau_d are filled, the best one at least."""
    drafting = drafter(3, tau_d=0.5)
    drafting.prepare([10], 50)
    window = drafting.draft()
    confidence = np.log(np.array([0.9, 0.5, 0.51, 0.3]))
    drafting.observe(window, Scores(np.array([11, 12, 13, 14]), confidence), Outcome([0], [11], [None]))
    drafting.prepare([10, 11], 50)
    assert block_of(drafting.draft()) == [99, 13, 99]


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_blocks_and_drafts_are_no_longer_than_what_may_be_committed(left: int) -> None:
    drafting = drafter(3)
    drafting.prepare([10], left)
    window = drafting.draft()
    assert [ids.tolist() for _, ids in window.blocks] == ([[99] * left] if left else [])
    drafting = drafter(3, tau_d=None)
    round_of(drafting, [10], [11, 12, 13, 14], [True] * 4)
    assert verified(drafting, [10, 11], left) == [11, 12, 13, 14][: 1 + left]


def test_after_a_verification_it_drafts_anew() -> None:
    drafting = drafter(2, tau_d=None)
    round_of(drafting, [10], [11, 12, 13], [True] * 3)
    drafting.prepare([10, 11], 50)
    window = drafting.draft()
    drafting.observe(window, Scores(np.array([12, 13, 14])), Outcome([0, 1, 2], [12, 13, 14], [None] * 3))
    drafting.prepare([10, 11, 12, 13, 14], 50)
    assert block_of(drafting.draft()) == [99, 99]
