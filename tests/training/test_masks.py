"""Who sees whom, against a slow statement of the rules; and dense against FlexAttention masks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from galley.training.corruption import Schedule
from galley.training.example import CLEAN, MASKED_A, MASKED_B, PAD, PROMPT, Example, Row, Slots
from galley.training.masks import attention_mask, dense_mask, flex_mask
from galley.training.nano.model import attend
from galley.training.packed_rows import Recipe, join, lay_out

BLOCK = 4


def packed(lengths: list[tuple[int, int]], filling: int = 3, schedule: Schedule = Schedule.UNIFORM) -> Row:
    recipe = Recipe(1, 2, 0, BLOCK, schedule)
    rng = np.random.default_rng(0)
    parts = []
    for prompt, response in lengths:
        document = Example(np.arange(prompt) + 10, np.arange(prompt)[None], prompt, np.arange(response) + 60)
        parts.append(lay_out(document, recipe, rng))
    return join(parts, sum(map(len, parts)) + filling, 0)


def allowed(slots: Slots, q: int, k: int, bidirectional: bool) -> bool:
    """The rules, one pair at a time."""
    if slots.doc[q] != slots.doc[k]:
        return False
    role_q, role_k = slots.role[q], slots.role[k]
    if PAD in (role_q, role_k):
        return bool(role_q == role_k)
    if role_q == PROMPT:
        return bool(role_k == PROMPT and (bidirectional or slots.index[k] <= slots.index[q]))
    if role_k == PROMPT:
        return True
    if role_q == CLEAN:
        return bool(role_k == CLEAN and slots.index[k] <= slots.index[q])
    if role_k == CLEAN:
        return bool(slots.index[k] // BLOCK < slots.index[q] // BLOCK)
    return bool(role_k == role_q and slots.index[k] // BLOCK == slots.index[q] // BLOCK)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("schedule", [Schedule.UNIFORM, Schedule.ALL_MASK])
def test_mask_follows_the_rules_pair_by_pair(bidirectional: bool, schedule: Schedule) -> None:
    row = packed([(3, 6), (5, 1), (1, 9)], schedule=schedule)
    mask = dense_mask(row.slots, bidirectional)
    expected = [[allowed(row.slots, q, k, bidirectional) for k in range(len(row))] for q in range(len(row))]
    assert (mask == np.array(expected)).all()
    assert mask.any(axis=1).all()


def test_nothing_crosses_documents_or_corrupted_streams() -> None:
    row = packed([(4, 7), (2, 12)])
    mask = dense_mask(row.slots, True)
    q, k = np.nonzero(mask)
    assert (row.slots.doc[q] == row.slots.doc[k]).all()
    role_q, role_k = row.slots.role[q], row.slots.role[k]
    for stream in (MASKED_A, MASKED_B):
        assert (role_q[role_k == stream] == stream).all()


def test_hidden_tokens_cannot_be_read_through_the_mask() -> None:
    """Changing the clean tokens of a block changes no corrupted state of that block or an earlier one."""
    row = packed([(3, 10)], filling=0)
    rng = np.random.default_rng(1)
    x = torch.from_numpy(rng.normal(size=(1, 1, len(row), 8)))
    slots = Slots(*(torch.from_numpy(value)[None] for value in row.slots))
    mask = dense_mask(slots, True)[:, None]
    changed = x.clone()
    clean_of_block_1 = torch.from_numpy((row.slots.role == CLEAN) & (row.slots.block == 1))
    changed[:, :, clean_of_block_1] += 1.0
    before, after = (F.scaled_dot_product_attention(v, v, v, attn_mask=mask)[0, 0] for v in (x, changed))
    corrupted = torch.from_numpy(row.slots.role >= MASKED_A) & torch.from_numpy(row.slots.role != PAD)
    early = corrupted & torch.from_numpy(row.slots.block <= 1)
    late = corrupted & torch.from_numpy(row.slots.block > 1)
    assert torch.equal(before[early], after[early])
    assert not torch.allclose(before[late], after[late])


@pytest.mark.parametrize("bidirectional", [True, False])
def test_flex_mask_is_the_dense_mask(bidirectional: bool) -> None:
    from torch.nn.attention.flex_attention import flex_attention

    row = packed([(30, 60), (21, 33)], filling=11)
    slots = Slots(*(torch.from_numpy(value)[None] for value in row.slots))
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(1, 2, len(row), 16, generator=generator) for _ in range(3))
    dense = F.scaled_dot_product_attention(q, k, v, attn_mask=dense_mask(slots, bidirectional)[:, None])
    flexible = flex_attention(q, k, v, block_mask=flex_mask(slots, bidirectional))
    torch.testing.assert_close(flexible, dense, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("bidirectional", [True, False])
def test_document_masks_are_the_dense_mask(bidirectional: bool) -> None:
    rows = [packed([(3, 6), (5, 1), (1, 9)], filling=3), packed([(6, 9), (4, 5)], filling=20)]
    slots = Slots(
        *(torch.from_numpy(np.stack(values)) for values in zip(*(row.slots for row in rows), strict=True))
    )
    parts = attention_mask(slots, bidirectional, torch.float32)
    assert isinstance(parts, list) and len(parts) == 4 + 3
    whole = torch.full((2, len(rows[0]), len(rows[0])), -torch.inf)
    for row, start, end, bias in parts:
        whole[row, start:end, start:end] = bias
    assert torch.equal(whole == 0, dense_mask(slots, bidirectional))


def test_attention_by_documents_is_attention_under_the_dense_mask() -> None:
    row = packed([(30, 60), (21, 33)], filling=11)
    slots = Slots(*(torch.from_numpy(value)[None] for value in row.slots))
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(1, 4, len(row), 16, generator=generator)
    k, v = (torch.randn(1, 2, len(row), 16, generator=generator) for _ in range(2))
    dense = F.scaled_dot_product_attention(
        q, k, v, attn_mask=dense_mask(slots, True)[:, None], enable_gqa=True
    )
    found = attend(q, k, v, attention_mask(slots, True, torch.float32))
    torch.testing.assert_close(found, dense, atol=1e-5, rtol=1e-5)
