"""The joint objective: (L_diff + w · L_ar) / (1 + w) (GravityOCR, equation 4)."""

from __future__ import annotations

from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from galley.training.example import IGNORE, MASKED_A


class JointLoss(NamedTuple):
    """total: what is minimised. ar, diff: mean cross-entropy of the clean and the corrupted streams in nats.
    ar_tokens, diff_tokens: supervised slots of each."""

    total: Tensor
    ar: Tensor
    diff: Tensor
    ar_tokens: int
    diff_tokens: int


def supervised(roles: Tensor) -> tuple[int, int]:
    """How many of the supervised slots are causal, and how many corrupted."""
    corrupted = int((roles >= MASKED_A).sum())
    return len(roles) - corrupted, corrupted


def joint_loss(
    logits: Tensor, labels: Tensor, roles: Tensor, weight: float, counts: tuple[float, float] | None = None
) -> JointLoss:
    """Loss of supervised slots: logits (n, vocabulary), labels (n,) without ``IGNORE``, roles (n,).

    ``weight`` is the share of the causal term, w. Rows without corrupted streams have the causal term alone.
    ``counts``: what the two sums are divided by instead of the slots at hand, where these are part of a larger
    batch.
    """
    losses = F.cross_entropy(logits.float(), labels, reduction="none", ignore_index=IGNORE)
    corrupted = roles >= MASKED_A
    ar_tokens, diff_tokens = supervised(roles)
    ar_count, diff_count = counts or (ar_tokens, diff_tokens)
    ar = torch.where(corrupted, 0.0, losses).sum() / max(ar_count, 1)
    diff = torch.where(corrupted, losses, 0.0).sum() / max(diff_count, 1)
    total = (diff + weight * ar) / (1 + weight) if diff_count else ar
    return JointLoss(total, ar.detach(), diff.detach(), ar_tokens, diff_tokens)
