"""Optimisers and their rates."""

from __future__ import annotations

import torch
from torch import nn

from galley.training.settings import Settings


def rate_factor(step: int, settings: Settings) -> float:
    """Linear rise, constant, and a linear fall to zero over the last ``decay`` steps."""
    rise = min(1.0, (step + 1) / max(settings.warmup, 1))
    left = settings.steps - step
    fall = min(1.0, left / settings.decay) if settings.decay else 1.0
    return rise * fall


def make_optimisers(module: nn.Module, settings: Settings) -> list[torch.optim.Optimizer]:
    """Muon for the matrices of hidden layers, AdamW for everything else."""
    embeddings = {id(layer.weight) for layer in module.modules() if isinstance(layer, nn.Embedding)}
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, parameter in module.named_parameters():
        hidden = parameter.ndim == 2 and id(parameter) not in embeddings and "blocks." in name
        (matrices if hidden else others).append(parameter)
    adamw = torch.optim.AdamW(
        [{"params": others, "peak": settings.rate}],
        lr=settings.rate,
        betas=(0.9, 0.95),
        weight_decay=settings.weight_decay,
    )
    if not matrices:
        return [adamw]
    muon = torch.optim.Muon(
        [{"params": matrices, "peak": settings.matrix_rate}],
        lr=settings.matrix_rate,
        weight_decay=settings.weight_decay,
        momentum=0.95,
    )
    return [adamw, muon]


def update(optimisers: list[torch.optim.Optimizer], factor: float) -> None:
    """One step of each at ``factor`` of its peak rate; gradients are cleared."""
    for optimiser in optimisers:
        for group in optimiser.param_groups:
            group["lr"] = group["peak"] * factor
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
