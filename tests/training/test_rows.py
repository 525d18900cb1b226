"""Streams, labels and packing of documents."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from galley.training.corruption import Schedule, fill_with_eos, masks
from galley.training.example import CLEAN, IGNORE, MASKED_A, MASKED_B, PAD, PROMPT, Example
from galley.training.packed_rows import Document, Packer, Recipe, join, lay_out

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


CONCRETE = [Schedule.UNIFORM, Schedule.COSINE, Schedule.ALL_MASK]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("schedule", list(Schedule))
@pytest.mark.parametrize("length", [0, 1, 3, 9, 14])
def test_every_target_has_one_denoising_label_where_it_is_masked(
    schedule: Schedule, length: int, seed: int
) -> None:
    """ "Clean and corrupted streams predict y_i from the logit at i − 1; in corrupted streams supervision applies to
    masked targets only" (GravityOCR, section 3.1)."""
    document = example(5, length)
    row = lay_out(document, recipe(schedule), np.random.default_rng(seed))
    response = fill_with_eos(document.response, EOS, BLOCK)
    role, index = row.slots.role, row.slots.index
    denoised = np.zeros(len(response), int)
    for slot in np.flatnonzero(row.diff_labels != IGNORE):
        if role[slot] == PROMPT:
            assert index[slot] == len(document.prompt) - 1
            target, streams = 0, (MASKED_A, MASKED_B)
        else:
            target, streams = index[slot] + 1, (role[slot],)
        assert row.diff_labels[slot] == response[target]
        assert any((row.ids[(role == stream) & (index == target)] == MASK).any() for stream in streams)
        denoised[target] += 1
    assert denoised.tolist() == [1] * len(response)


def test_visible_slots_before_masked_targets_are_supervised_and_masks_before_visible_ones_are_not() -> None:
    document = example(5, 60)
    row = lay_out(document, recipe(), np.random.default_rng(3))
    supervised = row.diff_labels != IGNORE
    for role in (MASKED_A, MASKED_B):
        stream = row.slots.role == role
        masked, labelled = row.ids[stream] == MASK, supervised[stream]
        assert labelled[:-1].tolist() == masked[1:].tolist() and not labelled[-1]
        assert (labelled & ~masked).any() and (masked & ~labelled).any()


@pytest.mark.parametrize("schedule", list(Schedule))
@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("length", [0, 1, 9])
def test_the_causal_loss_counts_every_token_and_the_first_end_once(
    schedule: Schedule, joint: bool, length: int
) -> None:
    document = example(5, length)
    row = lay_out(document, recipe(schedule, joint), np.random.default_rng(3))
    labels, role, index = row.ar_labels, row.slots.role, row.slots.index
    counted = labels != IGNORE
    assert np.isin(role[counted], (PROMPT, CLEAN)).all()
    assert labels[counted].tolist() == [*document.response, EOS]
    assert np.flatnonzero(counted & (role == PROMPT)).tolist() == [len(document.prompt) - 1]
    assert index[counted & (role == CLEAN)].tolist() == list(range(length))
    if not joint:
        assert (row.diff_labels == IGNORE).all() and np.isin(role, (PROMPT, CLEAN)).all()


def test_a_slot_of_both_losses_predicts_the_same_token() -> None:
    row = lay_out(example(5, 9), recipe(), np.random.default_rng(0))
    both = (row.ar_labels != IGNORE) & (row.diff_labels != IGNORE)
    assert np.flatnonzero(both).tolist() == [4]
    assert row.ar_labels[4] == row.diff_labels[4]


def test_streams_mask_complementary_sets() -> None:
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

    def rates(schedule: Schedule) -> np.ndarray:
        return masks(blocks * 32, 32, schedule, rng)[0].reshape(blocks, 32).mean(1)

    uniform, cosine = rates(Schedule.UNIFORM), rates(Schedule.COSINE)
    assert abs(uniform.mean() - 0.5) < 0.02
    assert abs(cosine.mean() - 2 / np.pi) < 0.02
    # A rate per block, not per token: block rates spread over all of (0, 1).
    assert uniform.std() > 0.25
    (whole,) = masks(50, 32, Schedule.ALL_MASK, rng)
    assert whole.all()


def test_a_mixed_schedule_is_drawn_for_each_document() -> None:
    rng = np.random.default_rng(0)
    drawn = [Schedule.MIXED.draw(rng) for _ in range(400)]
    assert set(drawn) == {Schedule.UNIFORM, Schedule.ALL_MASK}
    assert abs(drawn.count(Schedule.UNIFORM) - 200) < 40
    assert [schedule.draw(rng) for schedule in CONCRETE] == CONCRETE
    with pytest.raises(ValueError, match="drawn for a document"):
        masks(8, BLOCK, Schedule.MIXED, rng)


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


@pytest.mark.parametrize("schedule", CONCRETE)
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
    assert (row.slots.role[-7:] == PAD).all() and (row.ar_labels[-7:] == IGNORE).all()
    assert (row.diff_labels[-7:] == IGNORE).all()
    assert [start for start, _ in row.payloads] == [0, len(parts[0])]
    with pytest.raises(ValueError, match="do not fit"):
        join(parts, used - 1, FILL)


def batch(packer: Packer, documents: Iterator[Example]) -> list[list[Document]]:
    return packer.batch(documents, np.random.default_rng(0))


def prompts(row: list[Document]) -> list[int]:
    return [len(document.example.prompt) for document in row]


def test_packing_is_first_fit_with_carry_over_and_loses_nothing() -> None:
    plan = recipe(joint=False)
    documents = [example(length, 1, length) for length in (8, 9, 3, 18, 2, 5, 4, 1, 7, 6)]
    packer = Packer(plan, capacity=20, rows=2, patience=2)
    stream = iter(documents)
    seen: list[int] = []
    while rows := batch(packer, stream):
        for row in rows:
            assert sum(plan.cost(document.example) for document in row) <= 20
            seen += prompts(row)
    assert sorted(seen) == sorted(len(document.prompt) for document in documents)
    assert packer.too_long == 0 and not packer.carried


def test_rows_of_a_mixed_schedule_are_filled_by_what_was_drawn() -> None:
    packer = Packer(recipe(Schedule.MIXED), capacity=200, rows=2)
    rng = np.random.default_rng(1)
    stream = (example(5, 9, seed) for seed in range(60))
    drawn = []
    while rows := packer.batch(stream, rng):
        for documents in rows:
            row = packer.make(documents, rng)
            cost = {Schedule.UNIFORM: 5 + 3 * 13, Schedule.ALL_MASK: 5 + 2 * 13}
            assert (row.slots.doc >= 0).sum() == sum(cost[one.schedule] for one in documents)
            with_b = set(row.slots.doc[row.slots.role == MASKED_B])
            assert with_b == {i for i, one in enumerate(documents) if one.schedule is Schedule.UNIFORM}
            drawn += [one.schedule for one in documents]
    assert len(drawn) == 60 and set(drawn) == {Schedule.UNIFORM, Schedule.ALL_MASK}


def test_first_fit_fills_the_earliest_row_with_room() -> None:
    packer = Packer(recipe(joint=False), capacity=12, rows=2, patience=9)
    rows = batch(packer, iter([example(6, 0), example(8, 0), example(2, 0)]))
    assert [prompts(row) for row in rows] == [[6, 2], [8]]


def test_carried_documents_open_the_next_batch() -> None:
    packer = Packer(recipe(joint=False), capacity=10, rows=1, patience=1)
    stream = iter([example(8, 0, 1), example(9, 0, 2), example(1, 0, 3)])
    assert prompts(batch(packer, stream)[0]) == [8]
    assert prompts(packer.carried) == [9]
    assert prompts(batch(packer, stream)[0]) == [9]


def test_documents_longer_than_a_row_are_counted() -> None:
    packer = Packer(recipe(joint=False), capacity=10, rows=1)
    assert prompts(batch(packer, iter([example(40, 0), example(4, 0)]))[0]) == [4]
    assert packer.too_long == 1
