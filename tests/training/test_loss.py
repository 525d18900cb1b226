"""The joint objective."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from galley.training.example import CLEAN, MASKED_A, MASKED_B, PROMPT
from galley.training.loss import joint_loss


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, 3.0])
def test_loss_is_the_weighted_mean_of_both_terms(weight: float) -> None:
    logits = torch.randn(6, 9, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([1, 2, 3, 4, 5, 6])
    roles = torch.tensor([PROMPT, CLEAN, MASKED_A, MASKED_B, CLEAN, MASKED_A])
    loss = joint_loss(logits, labels, roles, weight)
    ar = F.cross_entropy(logits[[0, 1, 4]], labels[[0, 1, 4]])
    diff = F.cross_entropy(logits[[2, 3, 5]], labels[[2, 3, 5]])
    torch.testing.assert_close(loss.total, (diff + weight * ar) / (1 + weight))
    torch.testing.assert_close(loss.ar, ar)
    torch.testing.assert_close(loss.diff, diff)
    assert (loss.ar_tokens, loss.diff_tokens) == (3, 3)


def test_causal_rows_have_the_causal_term_alone() -> None:
    logits = torch.randn(2, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 4])
    loss = joint_loss(logits, labels, torch.tensor([PROMPT, CLEAN]), weight=1.0)
    torch.testing.assert_close(loss.total, F.cross_entropy(logits, labels))
