"""Patch-embedding convolutions as matrix products.

A convolution whose stride equals its kernel reads every input value once: it is a matrix product over
patches. The general convolution kernels are far slower at it (GLM-OCR's vision tower cuts patches with a
Conv3d).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PatchProjection(nn.Module):
    """Replaces a Conv2d or Conv3d whose kernel equals its stride: (N, C, *space) → (N, out, *grid)."""

    def __init__(self, conv: nn.Conv2d | nn.Conv3d) -> None:
        super().__init__()
        self.weight, self.bias = conv.weight, conv.bias
        self.kernel = tuple(conv.kernel_size)

    def forward(self, pixels: Tensor) -> Tensor:
        """Project (N, C, *space) pixels to (N, out, *grid) features."""
        grid = [size // step for size, step in zip(pixels.shape[2:], self.kernel, strict=True)]
        batch, channels = pixels.shape[:2]
        for axis, (count, step) in enumerate(zip(grid, self.kernel, strict=True)):
            pixels = pixels.narrow(2 + axis, 0, count * step)
        split = [extent for pair in zip(grid, self.kernel, strict=True) for extent in pair]
        cut = pixels.reshape(batch, channels, *split)
        axes = len(grid)
        order = [0, *range(2, 2 + 2 * axes, 2), 1, *range(3, 3 + 2 * axes, 2)]
        patches = cut.permute(order).reshape(-1, self.weight[0].numel())
        out = nn.functional.linear(patches, self.weight.flatten(1), self.bias)
        return out.view(batch, *grid, -1).movedim(-1, 1)


def replace_patch_convolutions(model: nn.Module) -> list[str]:
    """Replace every convolution of ``model`` for which this is exact.

    Returns:
        Names of the replaced modules.
    """
    swapped = []
    for name, module in list(model.named_modules()):
        if isinstance(module, (nn.Conv2d, nn.Conv3d)) and _cuts_patches(module):
            parent, _, child = name.rpartition(".")
            setattr(model.get_submodule(parent), child, PatchProjection(module))
            swapped.append(name)
    return swapped


def _cuts_patches(conv: nn.Conv2d | nn.Conv3d) -> bool:
    return (
        tuple(conv.kernel_size) == tuple(conv.stride)
        and not isinstance(conv.padding, str)
        and not any(conv.padding)
        and set(conv.dilation) == {1}
        and conv.groups == 1
        and torch.Size(conv.kernel_size).numel() > 1
    )
