"""Streams, labels and packing of documents."""

from __future__ import annotations

import numpy as np
import pytest

from galley.training.corruption import Schedule, fill_with_eos, hide
from galley.training.example import CLEAN, IGNORE, MASKED_A, MASKED_B, PAD, PROMPT, Example
from galley.training.rows import Packer, Recipe, join, lay_out

EOS, MASK, FILL, BLOCK = 1, 2, 0, 4


def example(prompt: int, response: int, seed: int = 0) -> Example:
    rng = np.random.default_rng(seed)
    return Example(
        prompt=rng.integers(10, 50, prompt),
        prompt_positions=np.arange(prompt)[None],
        first_position=prompt,
        response=rng.integers(50, 90, response),
    )


def recipe(schedule: Schedule = Schedule.UNIFORM, joint: bool = True) -> Recipe:
    return Recipe(EOS, MASK, FILL, BLOCK, schedule, joint)


@pytest.mark.parametrize("length", [0, 1, 4, 5, 11])
def test_response_ends_with_exactly_a_block_of_ends(length: int) -> None:
    filled = fill_with_eos(np.full(length, 60), EOS, BLOCK)
    assert filled.tolist() == [60] * length + [EOS] * BLOCK


@pytest.mark.parametrize("schedule", list(Schedule))
@pytest.mark.parametrize("length", [1, 3, 9, 14])
def test_every_response_token_is_supervised_once_by_each_objective(schedule: Schedule, length: int) -> None:
    document = example(5, length)
    row = lay_out(document, recipe(schedule), np.random.default_rng(3))
    response = fill_with_eos(document.response, EOS, BLOCK)
    role, index, labels = row.slots.role, row.slots.index, row.labels
    causal = np.zeros(len(response), int)
    denoised = np.zeros(len(response), int)
    for slot in np.flatnonzero(labels != IGNORE):
        target = 0 if role[slot] == PROMPT else index[slot] + 1
        assert labels[slot] == response[target]
        if role[slot] in (PROMPT, CLEAN):
            causal[target] += 1
        else:
            assert row.ids[slot] == MASK
            denoised[target] += 1
    # All real tokens and the first end, once; the other ends never.
    assert causal.tolist() == [1] * (length + 1) + [0] * (BLOCK - 1)
    # The first token is the boundary's own prediction; every later one is predicted by exactly one mask.
    assert denoised.tolist() == [0] + [1] * (len(response) - 1)


def test_streams_hide_complementary_sets() -> None:
    document = example(3, 21)
    row = lay_out(document, recipe(), np.random.default_rng(0))
    response = fill_with_eos(document.response, EOS, BLOCK)
    a, b = (row.ids[row.slots.role == role] for role in (MASKED_A, MASKED_B))
    assert ((a == MASK) ^ (b == MASK)).all()
    assert (np.where(a == MASK, b, a) == response).all()
    clean = row.ids[row.slots.role == CLEAN]
    assert (clean == response).all()
    assert (row.ids[row.slots.role == PROMPT] == document.prompt).all()


def test_all_mask_schedule_needs_one_corrupted_stream() -> None:
    row = lay_out(example(3, 6), recipe(Schedule.ALL_MASK), np.random.default_rng(0))
    assert not (row.slots.role == MASKED_B).any()
    assert (row.ids[row.slots.role == MASKED_A] == MASK).all()


def test_mask_rates_follow_the_schedule() -> None:
    rng = np.random.default_rng(0)
    blocks = 4000
    uniform = hide(blocks * 32, 32, Schedule.UNIFORM, rng).reshape(blocks, 32).mean(1)
    cosine = hide(blocks * 32, 32, Schedule.COSINE, rng).reshape(blocks, 32).mean(1)
    assert abs(uniform.mean() - 0.5) < 0.02
    assert abs(cosine.mean() - 2 / np.pi) < 0.02
    # A rate per block, not per token: block rates spread over all of (0, 1).
    assert uniform.std() > 0.25
    assert hide(50, 32, Schedule.ALL_MASK, rng).all()


def test_streams_share_the_positions_of_the_clean_response() -> None:
    document = example(6, 9)
    row = lay_out(document, recipe(), np.random.default_rng(0))
    for role in (CLEAN, MASKED_A, MASKED_B):
        assert row.positions[0, row.slots.role == role].tolist() == list(range(6, 6 + 9 + BLOCK))


def test_positions_may_restart_and_have_several_axes() -> None:
    positions = np.stack([np.arange(4), np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])])
    document = Example(np.arange(4) + 10, positions, 1, np.arange(3) + 60)
    row = lay_out(document, recipe(), np.random.default_rng(0))
    assert row.positions.shape == (3, len(row))
    assert (row.positions[:, :4] == positions).all()
    assert (row.positions[:, row.slots.role == CLEAN] == np.arange(1, 1 + 3 + BLOCK)).all()


@pytest.mark.parametrize("schedule", list(Schedule))
@pytest.mark.parametrize("joint", [True, False])
def test_cost_is_what_a_document_takes(schedule: Schedule, joint: bool) -> None:
    document = example(7, 13)
    plan = recipe(schedule, joint)
    assert plan.cost(document) == len(lay_out(document, plan, np.random.default_rng(0)))


def test_joined_rows_keep_documents_apart_and_fill_up() -> None:
    plan = recipe()
    parts = [lay_out(example(5, 6, seed), plan, np.random.default_rng(seed)) for seed in (1, 2)]
    used = sum(map(len, parts))
    row = join(parts, used + 7, FILL)
    assert row.slots.doc.tolist() == [0] * len(parts[0]) + [1] * len(parts[1]) + [-1] * 7
    assert (row.slots.role[-7:] == PAD).all() and (row.labels[-7:] == IGNORE).all()
    assert [start for start, _ in row.payloads] == [0, len(parts[0])]
    with pytest.raises(ValueError, match="do not fit"):
        join(parts, used - 1, FILL)


def test_packing_is_first_fit_with_carry_over_and_loses_nothing() -> None:
    plan = recipe(joint=False)
    documents = [example(length, 1, length) for length in (8, 9, 3, 18, 2, 5, 4, 1, 7, 6)]
    packer = Packer(plan, capacity=20, rows=2, patience=2)
    stream = iter(documents)
    seen: list[int] = []
    while rows := packer.batch(stream):
        for row in rows:
            assert sum(map(plan.cost, row)) <= 20
            seen += [len(document.prompt) for document in row]
    assert sorted(seen) == sorted(len(document.prompt) for document in documents)
    assert packer.too_long == 0 and not packer.carried


def test_first_fit_fills_the_earliest_row_with_room() -> None:
    plan = recipe(joint=False)
    packer = Packer(plan, capacity=12, rows=2, patience=9)
    rows = packer.batch(iter([example(6, 0), example(8, 0), example(2, 0)]))
    assert [[len(document.prompt) for document in row] for row in rows] == [[6, 2], [8]]


def test_carried_documents_open_the_next_batch() -> None:
    plan = recipe(joint=False)
    packer = Packer(plan, capacity=10, rows=1, patience=1)
    stream = iter([example(8, 0, 1), example(9, 0, 2), example(1, 0, 3)])
    assert [len(d.prompt) for d in packer.batch(stream)[0]] == [8]
    assert [len(d.prompt) for d in packer.carried] == [9]
    assert [len(d.prompt) for d in packer.batch(stream)[0]] == [9]


def test_documents_longer_than_a_row_are_counted() -> None:
    packer = Packer(recipe(joint=False), capacity=10, rows=1)
    assert [len(d.prompt) for d in packer.batch(iter([example(40, 0), example(4, 0)]))[0]] == [4]
    assert packer.too_long == 1
