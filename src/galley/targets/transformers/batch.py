"""A ragged batch of windows as tensors: ids, positions and an additive mask over past and window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


def padded(rows: Sequence[NDArray[np.int64]], width: int, device: torch.device) -> Tensor:
    """Rows of integers as one tensor, padded with zeros.

    Args:
        rows: each (n,) or (axes, n).
        width: padded length.
        device: where the tensor lies.

    Returns:
        (batch, width) or (axes, batch, width).
    """
    batch = np.zeros((*rows[0].shape[:-1], len(rows), width), dtype=np.int64)
    for i, row in enumerate(rows):
        batch[..., i, : row.shape[-1]] = row
    return torch.from_numpy(batch).to(device)


def real_slots(widths: Sequence[int], width: int, device: torch.device) -> Tensor:
    """(batch, width) bool: true where a window has a slot, false where it is padding."""
    return torch.arange(width, device=device) < torch.tensor(widths, device=device)[:, None]


def additive_mask(
    starts: Sequence[int],
    sees: Sequence[NDArray[np.bool_]],
    width: int,
    dtype: torch.dtype,
    device: torch.device,
    keys: int | None = None,
) -> Tensor | None:
    """The attention mask of a batch of windows.

    Row ``b`` has its past in columns ``0 … starts[b]`` and its window right behind. The mask is always 4-D:
    Transformers accepts a 2-D mask of another length without an error and applies it wrongly.

    Args:
        starts: per row, the length of its past.
        sees: per row, (n, n) bool: which slots of its window see which.
        width: slots per window, as padded.
        dtype: dtype of the mask.
        device: where the mask lies.
        keys: number of columns; as many as needed when None.

    Returns:
        (batch, 1, width, keys): 0 where a slot sees a key, the dtype's least number elsewhere. None where ``keys``
        is None and nothing has to be hidden.
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
