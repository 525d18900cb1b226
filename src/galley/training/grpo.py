"""Group-relative policy optimisation on the causal path, as pure functions (GravityOCR).

Token-level loss, asymmetric clipping, a KL term to a frozen copy, truncated completions masked out, and a
token-level correction for the difference between the kernels that sample and the ones that train.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class GrpoSettings:
    """Settings of the GRPO loss.

    Attributes:
        low: The ratio is clipped at 1 − low from below.
        high: The ratio is clipped at 1 + high from above.
        kl: Weight of the KL term.
        cap: The most that a token's correction for differing kernels may count.
    """

    low: float = 0.2
    high: float = 0.28
    kl: float = 1e-3
    cap: float = 2.0


def advantages(rewards: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rewards (prompts, rollouts) standardised within each prompt's group; zero where all are alike."""
    centred = rewards - rewards.mean(axis=1, keepdims=True)
    spread = rewards.std(axis=1, keepdims=True)
    return np.where(spread > 1e-6, centred / np.maximum(spread, 1e-6), 0.0)


def teaches(rewards: NDArray[np.float64]) -> NDArray[np.bool_]:
    """(prompts,) whose rollouts differ in reward; the others teach nothing and are dropped in screening."""
    return rewards.std(axis=1) > 1e-6


def grpo_loss(
    logprobs: Tensor,
    old: Tensor,
    reference: Tensor,
    sampled: Tensor,
    advantage: Tensor,
    counted: Tensor,
    settings: GrpoSettings,
) -> Tensor:
    """The loss of a batch of tokens.

    Args:
        logprobs: Log-probabilities (tokens,) of the policy being updated.
        old: Those of the policy at the start of the step, by the training kernels.
        reference: Those of the frozen copy.
        sampled: Those of the policy that sampled, by its own kernels.
        advantage: Of each token's rollout (tokens,).
        counted: False (tokens,) for tokens of truncated rollouts.
        settings: Clipping and weights.
    """
    ratio = (logprobs - old).exp()
    clipped = ratio.clamp(1 - settings.low, 1 + settings.high)
    gain = torch.minimum(ratio * advantage, clipped * advantage)
    correction = (old - sampled).exp().clamp(max=settings.cap).detach()
    apart = reference - logprobs
    divergence = apart.exp() - apart - 1
    losses = -correction * gain + settings.kl * divergence
    return torch.where(counted, losses, 0.0).sum() / counted.sum().clamp(min=1)
