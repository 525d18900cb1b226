"""The joint objective: (L_diff + w · L_ar) / (1 + w) (GravityOCR, section 3.1)."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from galley.training.example import IGNORE


class JointLoss(NamedTuple):
    """The joint loss and its parts.

    Attributes:
        total: What is minimised.
        ar: Mean cross-entropy of the next tokens, in nats.
        diff: Mean cross-entropy of the masked targets, in nats.
        ar_tokens: Number of labels of ``ar``.
        diff_tokens: Number of labels of ``diff``.
    """

    total: Tensor
    ar: Tensor
    diff: Tensor
    ar_tokens: int
    diff_tokens: int


def counts(ar_labels: Tensor, diff_labels: Tensor) -> tuple[int, int]:
    """How many slots have an autoregressive label, and how many a denoising label."""
    return int((ar_labels != IGNORE).sum()), int((diff_labels != IGNORE).sum())


def joint_loss(
    logits: Tensor,
    ar_labels: Tensor,
    diff_labels: Tensor,
    weight: float,
    divisors: tuple[float, float] | None = None,
) -> JointLoss:
    """The joint loss of supervised slots.

    A slot that counts in both losses predicts the same token in both. Without denoising labels there is the
    autoregressive term alone.

    Args:
        logits: (n, vocabulary).
        ar_labels: Labels (n,) of the autoregressive loss, ``IGNORE`` where there is none.
        diff_labels: Labels (n,) of the denoising loss, ``IGNORE`` where there is none.
        weight: w, the weight of the autoregressive term.
        divisors: What the two sums are divided by instead of the number of labels, where these are part of a larger
            batch.
    """
    in_ar, in_diff = ar_labels != IGNORE, diff_labels != IGNORE
    losses = F.cross_entropy(
        logits.float(), torch.where(in_ar, ar_labels, diff_labels), reduction="none", ignore_index=IGNORE
    )
    ar_tokens, diff_tokens = counts(ar_labels, diff_labels)
    ar_divisor, diff_divisor = divisors or (ar_tokens, diff_tokens)
    ar = losses[in_ar].sum() / max(ar_divisor, 1)
    diff = losses[in_diff].sum() / max(diff_divisor, 1)
    total = (diff + weight * ar) / (1 + weight) if diff_divisor else ar
    return JointLoss(total, ar.detach(), diff.detach(), ar_tokens, diff_tokens)
