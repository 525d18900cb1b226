"""Windows as tensors."""

from __future__ import annotations

import numpy as np
import torch

from galley.decoding import Window
from galley.targets.transformers.batch import additive_mask, padded, real_slots

CPU = torch.device("cpu")


def test_the_mask_shows_a_row_its_own_past_and_what_its_window_says() -> None:
    tree = Window.tree([1, 2, 3], [-1, 0, 0])
    chain = Window.chain([4, 5])
    mask = additive_mask([2, 4], [tree.sees, chain.sees], 3, torch.float32, CPU)
    assert mask is not None and mask.shape == (2, 1, 3, 7)
    seen = (mask[:, 0] == 0).int().tolist()
    assert seen[0] == [[1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0]]
    assert seen[1] == [[1, 1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0, 0]]
    assert mask.min() == torch.finfo(torch.float32).min


def test_single_tokens_after_equal_pasts_need_no_mask() -> None:
    one = np.ones((1, 1), dtype=bool)
    assert additive_mask([5, 5], [one, one], 1, torch.float32, CPU) is None
    assert additive_mask([5, 6], [one, one], 1, torch.float32, CPU) is not None


def test_padding() -> None:
    assert padded([np.array([1, 2]), np.array([3])], 3, CPU).tolist() == [[1, 2, 0], [3, 0, 0]]
    axes = padded([np.array([[1, 2], [3, 4]]), np.array([[5], [6]])], 2, CPU)
    assert axes.tolist() == [[[1, 2], [5, 0]], [[3, 4], [6, 0]]]
    assert real_slots([2, 1], 2, CPU).tolist() == [[True, True], [True, False]]
