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
    """Loss of supervised slots: logits (n, vocabulary), labels of both losses (n,), ``IGNORE`` where there is none.

    A slot that counts in both losses predicts the same token in both. ``weight`` is that of the autoregressive term,
    w. Without denoising labels there is the autoregressive term alone. ``divisors``: what the two sums are divided by
    instead of the labels at hand, where these are part of a larger batch.
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
