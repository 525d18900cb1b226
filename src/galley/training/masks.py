"""Who sees whom in a packed row (GravityOCR, section 3.1).

One predicate serves numpy, dense torch masks and FlexAttention.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.attention.flex_attention import BlockMask, create_block_mask

from galley.training.example import CLEAN, MASKED_A, MASKED_B, PAD, PROMPT, Slots


def sees(query: Slots, key: Slots, bidirectional_prompt: bool) -> Any:
    """True where ``query`` may attend to ``key``; broadcasts.

    Within a document, a prompt slot sees the prompt (up to itself unless ``bidirectional_prompt``); a clean
    slot sees the prompt and the clean response up to itself; a corrupted slot sees the prompt, the clean
    tokens of *earlier* blocks and its own block in its own stream. Nothing else is seen, and nothing sees a
    corrupted stream but itself.
    """
    corrupted = (query.role == MASKED_A) | (query.role == MASKED_B)
    earlier = key.index <= query.index
    prompt = (key.role == PROMPT) & ((query.role != PROMPT) | earlier | bidirectional_prompt)
    causal = (key.role == CLEAN) & (query.role == CLEAN) & earlier
    finished = (key.role == CLEAN) & corrupted & (key.block < query.block)
    own_block = (key.role == query.role) & corrupted & (key.block == query.block)
    filling = (key.role == PAD) & (query.role == PAD)
    return (query.doc == key.doc) & (
        ((query.role != PAD) & (prompt | causal | finished | own_block)) | filling
    )


def dense_mask(slots: Slots, bidirectional_prompt: bool) -> Any:
    """(…, L, L) booleans of slots whose arrays or tensors are (…, L)."""
    query = Slots(*(value[..., :, None] for value in slots))
    key = Slots(*(value[..., None, :] for value in slots))
    return sees(query, key, bidirectional_prompt)


class DocumentMask(NamedTuple):
    """The dense mask of one document of a row, or of the filling after the last.

    Attributes:
        row: The row's number.
        start: The document's first slot.
        end: The slot after its last.
        bias: (n, n); 0 where a slot sees another and −inf where not. Outside it nothing is seen.
    """

    row: int
    start: int
    end: int
    bias: Tensor


def attention_mask(
    slots: Slots, bidirectional_prompt: bool, dtype: torch.dtype
) -> list[DocumentMask] | BlockMask:
    """The mask in the form that is fast on the device of the (rows, L) slots.

    Returns:
        A block mask on CUDA; elsewhere a mask of ``dtype`` for each document, row after row.
    """
    if slots.role.is_cuda:
        return flex_mask(slots, bidirectional_prompt)
    found = []
    for row, doc in enumerate(slots.doc):
        lengths = torch.unique_consecutive(doc, return_counts=True)[1].tolist()
        for start, end in pairwise(np.cumsum([0, *lengths]).tolist()):
            visible = dense_mask(Slots(*(value[row, start:end] for value in slots)), bidirectional_prompt)
            bias = torch.zeros(visible.shape, dtype=dtype).masked_fill(~visible, -torch.inf)
            found.append(DocumentMask(row, start, end, bias))
    return found


def flex_mask(slots: Slots, bidirectional_prompt: bool) -> BlockMask:
    """The same as a FlexAttention block mask, for (rows, L) tensors; empty tiles cost nothing on CUDA."""
    rows, length = slots.role.shape

    def mask_mod(row: Tensor, head: Tensor, q: Tensor, k: Tensor) -> Tensor:
        at_q, at_k = (Slots(*(value[row, at] for value in slots)) for at in (q, k))
        return sees(at_q, at_k, bidirectional_prompt)

    predicate: Callable[..., Tensor] = mask_mod
    return create_block_mask(predicate, rows, None, length, length, device=slots.role.device)
