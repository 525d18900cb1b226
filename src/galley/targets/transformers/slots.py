"""Keys and values in preallocated rows, one per sequence and layer, each filled up to a length of its own.

Rejecting drafted tokens changes a length. Keeping a path of a tree is one gather. The rows of running sequences have
no gaps between them (a released row is refilled with the last one), so a forward over all sequences reads a slice
without copying.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import Cache

_CAPACITY_STEP = 256


@dataclass(eq=False)
class Slot:
    """A sequence's row.

    Attributes:
        row: its number.
        length: number of committed tokens.
        pending: number of uncommitted slots of its last window, which follow them.
    """

    row: int
    length: int = 0
    pending: int = 0

    @property
    def used(self) -> int:
        """Filled places of the row, committed or not."""
        return self.length + self.pending


class KVSlots:
    """Rows of keys and values for every layer, each a tensor of (rows, heads, capacity, head size).

    Layers are allocated when first written, on the device and in the dtype of what is written. When they run out, rows
    double and the capacity grows by half, so that copying stays a constant share of the work.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.capacity = 0
        self.living: list[Slot] = []
        self.generation = 0
        """Counts reallocations: who holds addresses of the tensors (a CUDA graph) must drop them when it
        changes.
        """
        self._keys: dict[int, Tensor] = {}
        self._values: dict[int, Tensor] = {}

    def open(self) -> Slot:
        """A fresh row."""
        slot = Slot(len(self.living))
        self.reserve_rows(slot.row + 1)
        self.living.append(slot)
        return slot

    def close(self, slot: Slot) -> None:
        """Give a row back; closing twice is harmless."""
        if slot.row >= len(self.living) or self.living[slot.row] is not slot:
            return
        last = self.living.pop()
        if last is slot:
            return
        for layers in (self._keys, self._values):
            for held in layers.values():
                held[slot.row, :, : last.used] = held[last.row, :, : last.used]
        self.living[slot.row] = last
        last.row = slot.row

    def reserve_rows(self, count: int) -> None:
        """Make room for ``count`` rows, living or not."""
        if count > self.rows:
            self.resize(max(count, 2 * self.rows), self.capacity)

    def reserve(self, length: int) -> None:
        """Make room for rows of ``length`` tokens."""
        if length > self.capacity:
            wanted = max(length, self.capacity + self.capacity // 2)
            self.resize(self.rows, -(-wanted // _CAPACITY_STEP) * _CAPACITY_STEP)

    def keep(self, slot: Slot, picks: Tensor) -> None:
        """Commit slots of the pending window and drop the others.

        Args:
            slot: the sequence's row.
            picks: (n,) int64 offsets into the pending window, in the order to keep.
        """
        count = len(picks)
        if not torch.equal(picks, torch.arange(count)):
            for layers in (self._keys, self._values):
                for held in layers.values():
                    source = held[slot.row, :, slot.length + picks.to(held.device)]
                    held[slot.row, :, slot.length : slot.length + count] = source
        slot.length += count
        slot.pending = 0

    def layer(self, index: int, like: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of a layer, allocated if need be.

        Args:
            index: number of the layer.
            like: (batch, heads, n, head size), what is about to be written; gives shape, dtype and device.

        Returns:
            Keys and values, each (rows, heads, capacity, head size).
        """
        if index not in self._keys:
            # Zeros, not empty memory: masked slots still take part as 0 × value, and 0 × NaN is NaN.
            shape = (self.rows, like.shape[1], self.capacity, like.shape[3])
            self._keys[index] = like.new_zeros(shape)
            self._values[index] = like.new_zeros(shape)
        return self._keys[index], self._values[index]

    def resize(self, rows: int, capacity: int) -> None:
        """Reallocate to ``rows`` and ``capacity``, keeping what fits."""
        kept = min(self.rows, rows), min(self.capacity, capacity)
        self.rows, self.capacity = rows, capacity
        self.generation += 1
        for layers in (self._keys, self._values):
            for index, held in layers.items():
                grown = held.new_zeros((rows, held.shape[1], capacity, held.shape[3]))
                grown[: kept[0], :, : kept[1]] = held[: kept[0], :, : kept[1]]
                layers[index] = grown


class WindowCache(Cache):
    """The cache that one forward gets: writes a window's keys and values into the slots, returns past and window.

    The attention mask has to hide everything but a row's own past and window.

    Args:
        slots: keys and values of all sequences.
        rows: per batch row, the row of the slots it belongs to.
        starts: per batch row, where its window begins.
        width: slots per window. Shorter windows are padded; padding is written behind the row's length.
    """

    def __init__(self, slots: KVSlots, rows: Sequence[int], starts: Sequence[int], width: int) -> None:
        super().__init__(layers=[])
        self._slots = slots
        self._rows, self._starts, self._width = list(rows), list(starts), width
        self._fresh = not any(starts)
        self.total = max(starts) + width
        slots.reserve(self.total)
        self._dense = self._rows == list(range(self._rows[0], self._rows[0] + len(self._rows)))
        self._even = self._dense and len(set(starts)) == 1
        self._index: tuple[Tensor, Tensor] | None = None

    def _indices(self, device: torch.device) -> tuple[Tensor, Tensor]:
        if self._index is None or self._index[0].device != device:
            rows = torch.tensor(self._rows, device=device)[:, None]
            columns = torch.tensor(self._starts, device=device)[:, None] + torch.arange(
                self._width, device=device
            )
            self._index = rows, columns
        return self._index

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Store a layer's keys and values of the windows.

        Args:
            key_states: (batch, heads, width, head size).
            value_states: as ``key_states``.
            layer_idx: number of the layer.
            args: unused; part of Transformers' interface.
            kwargs: unused; part of Transformers' interface.

        Returns:
            Keys and values of past and window, each (batch, heads, total, head size).
        """
        keys, values = self._slots.layer(layer_idx, key_states)
        first = self._rows[0]
        block = slice(first, first + len(self._rows))
        if self._even:
            columns = slice(self._starts[0], self.total)
            keys[block, :, columns] = key_states
            values[block, :, columns] = value_states
        else:
            where = self._indices(key_states.device)
            keys[where[0], :, where[1]] = key_states.transpose(1, 2)
            values[where[0], :, where[1]] = value_states.transpose(1, 2)
        if self._fresh:
            return key_states, value_states
        if self._dense:
            return keys[block, :, : self.total], values[block, :, : self.total]
        picked = self._indices(key_states.device)[0][:, 0]
        return keys[picked, :, : self.total], values[picked, :, : self.total]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Longest past of the batch, in tokens."""
        return self.total - self._width

    def get_mask_sizes(self, query_length: int, layer_idx: int) -> tuple[int, int]:
        """Number of keys and their offset, for the masks that models build themselves.

        They do so in prefill and for windows of one token.
        """
        return self.total, 0
