"""The joint objective."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from galley.training.example import IGNORE
from galley.training.loss import counts, joint_loss

NONE = IGNORE
AR = torch.tensor([1, 2, NONE, NONE, 5, NONE])
DIFF = torch.tensor([1, NONE, 3, 4, NONE, 6])
"""The first slot counts in both losses, as the prompt's last one does."""


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0, 3.0])
def test_loss_is_the_weighted_mean_of_both_terms(weight: float) -> None:
    logits = torch.randn(6, 9, generator=torch.Generator().manual_seed(0))
    loss = joint_loss(logits, AR, DIFF, weight)
    ar = F.cross_entropy(logits[[0, 1, 4]], torch.tensor([1, 2, 5]))
    diff = F.cross_entropy(logits[[0, 2, 3, 5]], torch.tensor([1, 3, 4, 6]))
    torch.testing.assert_close(loss.total, (diff + weight * ar) / (1 + weight))
    torch.testing.assert_close(loss.ar, ar)
    torch.testing.assert_close(loss.diff, diff)
    assert (loss.ar_tokens, loss.diff_tokens) == counts(AR, DIFF) == (3, 4)


def test_a_slot_of_both_losses_gets_the_gradient_of_both() -> None:
    logits = torch.zeros(6, 9, requires_grad=True)
    joint_loss(logits, AR, DIFF, 1.0).total.backward()
    share = 1 - 1 / 9
    assert logits.grad is not None
    torch.testing.assert_close(logits.grad[0, 1], torch.tensor(-share * (1 / 3 + 1 / 4) / 2))
    torch.testing.assert_close(logits.grad[1, 2], torch.tensor(-share / 3 / 2))
    torch.testing.assert_close(logits.grad[2, 3], torch.tensor(-share / 4 / 2))


def test_divisors_stand_in_for_the_labels_at_hand() -> None:
    logits = torch.randn(6, 9, generator=torch.Generator().manual_seed(0))
    alone, part = joint_loss(logits, AR, DIFF, 1.0), joint_loss(logits, AR, DIFF, 1.0, (6, 16))
    torch.testing.assert_close(part.ar, alone.ar / 2)
    torch.testing.assert_close(part.diff, alone.diff / 4)


def test_causal_rows_have_the_causal_term_alone() -> None:
    logits = torch.randn(2, 5, generator=torch.Generator().manual_seed(0))
    labels = torch.tensor([0, 4])
    loss = joint_loss(logits, labels, torch.full((2,), NONE), weight=1.0)
    torch.testing.assert_close(loss.total, F.cross_entropy(logits, labels))
