"""A ragged batch of windows as tensors: ids, positions and an additive mask over past and window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def padded(rows: Sequence[NDArray[np.int64]], width: int, device: torch.device) -> Tensor:
    """Rows of (n,) or (axes, n) integers, padded with zeros to (batch, width) or (axes, batch, width)."""
    batch = np.zeros((*rows[0].shape[:-1], len(rows), width), dtype=np.int64)
    for i, row in enumerate(rows):
        batch[..., i, : row.shape[-1]] = row
    return torch.from_numpy(batch).to(device)


def real_slots(widths: Sequence[int], width: int, device: torch.device) -> Tensor:
    """(batch, width) bool, true where a window has a slot and false where it is padding."""
    return torch.arange(width, device=device) < torch.tensor(widths, device=device)[:, None]


def additive_mask(
    starts: Sequence[int],
    sees: Sequence[NDArray[np.bool_]],
    width: int,
    dtype: torch.dtype,
    device: torch.device,
    keys: int | None = None,
) -> Tensor | None:
    """(batch, 1, width, keys): 0 where a slot sees a key, the dtype's least number elsewhere.

    Row ``b`` has its past in columns ``0 … starts[b]`` and its window right after. keys: columns, as many as
    needed when None; then the mask is None where nothing needs hiding. Always 4-D: Transformers takes a 2-D
    mask of another length silently, and wrongly.
    """
    if keys is None and width == 1 and len(set(starts)) == 1:
        return None
    within = np.zeros((len(starts), width, width), dtype=bool)
    for i, own in enumerate(sees):
        within[i, : len(own), : len(own)] = own
    begins = torch.tensor(starts, device=device)[:, None, None]
    total = keys or max(starts) + width
    visible = (torch.arange(total, device=device) < begins).expand(len(starts), width, total).clone()
    columns = (begins + torch.arange(width, device=device)).expand(len(starts), width, width)
    visible.scatter_(2, columns, torch.from_numpy(within).to(device))
    mask = torch.zeros(visible.shape, dtype=dtype, device=device)
    return mask.masked_fill_(~visible, torch.finfo(dtype).min)[:, None]
