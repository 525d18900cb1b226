"""Patch convolutions as matrix products."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from galley.targets.transformers.patches import PatchProjection, replace_patch_convolutions


@pytest.mark.parametrize(
    ("conv", "shape"),
    [
        (nn.Conv3d(3, 8, (2, 4, 4), stride=(2, 4, 4)), (5, 3, 2, 4, 4)),
        (nn.Conv3d(3, 8, (2, 4, 4), stride=(2, 4, 4), bias=False), (2, 3, 4, 8, 12)),
        (nn.Conv2d(3, 8, 4, stride=4), (2, 3, 9, 15)),
        (nn.Conv2d(6, 8, 2, stride=2), (7, 6, 2, 2)),
    ],
)
def test_the_product_equals_the_convolution(conv: nn.Conv2d | nn.Conv3d, shape: tuple[int, ...]) -> None:
    pixels = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(PatchProjection(conv)(pixels), conv(pixels), atol=1e-5, rtol=1e-5)


def test_only_convolutions_it_is_exact_for_are_swapped() -> None:
    model = nn.ModuleDict(
        {
            "patches": nn.Conv2d(3, 4, 8, stride=8),
            "overlapping": nn.Conv2d(3, 4, 8, stride=4),
            "padded": nn.Conv2d(3, 4, 3, stride=3, padding=1),
            "dilated": nn.Conv2d(3, 4, 3, stride=3, dilation=2),
            "grouped": nn.Conv2d(4, 4, 2, stride=2, groups=2),
            "pointwise": nn.Conv2d(3, 4, 1),
        }
    )
    names = set(model.state_dict())
    assert replace_patch_convolutions(model) == ["patches"]
    assert set(model.state_dict()) == names
