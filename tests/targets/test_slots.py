"""KV slots: growth, ragged writes, gathers, dense rows."""

from __future__ import annotations

import torch

from galley.targets.transformers.slots import KVSlots, Slot, WindowCache


def filled(slots: KVSlots, length: int, value: float) -> Slot:
    slot = slots.open()
    write(slots, [slot], [torch.full((length,), value)])
    slot.length = length
    return slot


def write(slots: KVSlots, rows: list[Slot], columns: list[torch.Tensor]) -> tuple[WindowCache, torch.Tensor]:
    """One layer's forward: keys of (row, 1 head, width, 1) from each row's values; returns what attention
    sees.
    """
    width = max(len(c) for c in columns)
    states = torch.zeros(len(rows), 1, width, 1)
    for i, column in enumerate(columns):
        states[i, 0, : len(column), 0] = column
    cache = WindowCache(slots, [s.row for s in rows], [s.length for s in rows], width)
    keys, values = cache.update(states, -states, 0)
    assert torch.equal(keys, -values)
    for slot, column in zip(rows, columns, strict=True):
        slot.pending = len(column)
    return cache, keys[:, 0, :, 0]


def held(slots: KVSlots, slot: Slot) -> list[float]:
    keys, values = slots.layer(0, torch.zeros(1, 1, 1, 1))
    assert torch.equal(keys, -values)
    return keys[slot.row, 0, : slot.length, 0].tolist()


def test_ragged_rows_keep_their_own_pasts() -> None:
    slots = KVSlots()
    a, b = filled(slots, 3, 1.0), filled(slots, 5, 2.0)
    cache, seen = write(slots, [a, b], [torch.tensor([10.0, 11.0]), torch.tensor([20.0])])
    assert seen.shape == (2, 7) and cache.get_seq_length() == 5 and cache.get_mask_sizes(2, 0) == (7, 0)
    assert seen[0, :5].tolist() == [1, 1, 1, 10, 11]
    assert seen[1, :6].tolist() == [2, 2, 2, 2, 2, 20]


def test_rejecting_is_moving_a_length() -> None:
    slots = KVSlots()
    a = filled(slots, 2, 1.0)
    write(slots, [a], [torch.tensor([5.0, 6.0, 7.0])])
    slots.keep(a, torch.tensor([0]))
    assert (a.length, a.pending) == (3, 0)
    write(slots, [a], [torch.tensor([8.0])])
    slots.keep(a, torch.tensor([0]))
    assert held(slots, a) == [1, 1, 5, 8]


def test_keeping_a_path_gathers_its_slots_in_order() -> None:
    slots = KVSlots()
    filled(slots, 6, 9.0)
    a = filled(slots, 2, 1.0)
    write(slots, [a], [torch.tensor([10.0, 11.0, 12.0, 13.0, 14.0])])
    slots.keep(a, torch.tensor([0, 2, 3]))
    assert held(slots, a) == [1, 1, 10, 12, 13]


def test_keeping_nothing_drops_the_window() -> None:
    slots = KVSlots()
    a = filled(slots, 2, 1.0)
    write(slots, [a], [torch.tensor([10.0, 11.0])])
    slots.keep(a, torch.tensor([], dtype=torch.int64))
    assert held(slots, a) == [1, 1] and a.pending == 0


def test_released_rows_are_refilled_so_that_rows_stay_dense() -> None:
    slots = KVSlots()
    a, b, c = filled(slots, 3, 1.0), filled(slots, 4, 2.0), filled(slots, 2, 3.0)
    write(slots, [c], [torch.tensor([30.0, 31.0])])
    slots.close(a)
    assert sorted(slot.row for slot in slots.living) == [0, 1]
    slots.keep(c, torch.tensor([0, 1]))
    assert held(slots, c) == [3, 3, 30, 31] and held(slots, b) == [2, 2, 2, 2]
    slots.close(a)
    slots.close(c)
    slots.close(c)
    assert slots.living == [b] and held(slots, b) == [2, 2, 2, 2]
    slots.close(b)
    assert slots.living == []


def test_growth_keeps_what_is_there() -> None:
    slots = KVSlots()
    kept = [filled(slots, 3 + i, float(i)) for i in range(5)]
    before = slots.generation
    filled(slots, 700, 7.0)
    assert slots.capacity >= 700 and slots.rows >= 6 and slots.generation > before
    assert [held(slots, slot) for slot in kept] == [[float(i)] * (3 + i) for i in range(5)]


def test_a_subset_of_rows_reads_only_its_own() -> None:
    slots = KVSlots()
    a, _, c = filled(slots, 3, 1.0), filled(slots, 3, 2.0), filled(slots, 3, 3.0)
    _, seen = write(slots, [a, c], [torch.tensor([10.0]), torch.tensor([30.0])])
    assert seen.tolist() == [[1, 1, 1, 10], [3, 3, 3, 30]]


def test_room_grows_in_steps_and_only_when_it_is_used_up() -> None:
    """Rows double and capacity grows by half, in steps of 256; a reallocation is counted."""
    slots = KVSlots()
    seen = []
    for length in (1, 256, 257, 512, 513, 2048, 2049):
        slots.reserve(length)
        seen.append((slots.capacity, slots.generation))
    assert seen == [(256, 1), (256, 1), (512, 2), (512, 2), (768, 3), (2048, 4), (3072, 5)]
    rows = []
    for _ in range(6):
        slots.open()
        rows.append(slots.rows)
    assert rows == [1, 2, 4, 4, 8, 8]
    assert slots.generation == 5 + 4
    slots.reserve_rows(8)
    assert slots.generation == 9
    slots.reserve_rows(20)
    assert (slots.rows, slots.capacity) == (20, 3072)
