"""Forwards of few fixed shapes, so that a GPU can replay them as CUDA graphs.

Batch, window width and keys seen are rounded up to buckets; the padding sees nothing that counts and is cut
off again. Launching a decoder's many small kernels one by one costs a GPU more than running them; a graph is
launched at once. Capturing has not been run on a GPU yet; everything around it is tested on the CPU.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import Cache

from galley.decoding import Window
from galley.targets.transformers.batch import additive_mask, padded, real_slots
from galley.targets.transformers.slots import KVSlots, Slot

Model = Callable[[Cache, Tensor, Tensor, Tensor], Tensor]
"""(cache, ids (batch, width), positions (batch, width), mask (batch, 1, width, keys)) → logits of all
slots.
"""

_KEYS_STEP = 512


@dataclass(frozen=True)
class Shape:
    """A padded shape.

    Attributes:
        batch: rows, as padded.
        width: slots per window, as padded.
        keys: columns of the cache that are seen.
        dense: whether the rows are 0 … batch - 1.
    """

    batch: int
    width: int
    keys: int
    dense: bool


class FixedShapes:
    """Runs windows in rounded-up shapes, as CUDA graphs where ``capture`` says so.

    Widths are powers of two and ``block_size + 1``, batches powers of two, keys multiples of 512.
    """

    def __init__(self, model: Model, slots: KVSlots, block_size: int | None, capture: bool) -> None:
        self._model, self._slots, self._capture = model, slots, capture
        drafting = {block_size + 1} if block_size else set()
        self._widths = sorted({2**i for i in range(12)} | drafting)
        self._graphs: dict[Shape, _Graph] = {}
        self._generation = slots.generation

    def __call__(
        self,
        slots: Sequence[Slot],
        windows: Sequence[Window],
        positions: Sequence[NDArray[np.int64]],
        dtype: torch.dtype,
        device: torch.device,
    ) -> Tensor:
        """Run one forward.

        Args:
            slots: the sequences' rows.
            windows: one per sequence.
            positions: per window, its slots' rotary positions.
            dtype: dtype of the attention mask.
            device: where to run.

        Returns:
            Logits of the windows' slots, (sum of window lengths, vocabulary).
        """
        widths = [len(window) for window in windows]
        starts = [slot.length for slot in slots]
        shape = self._shape(slots, max(widths), max(starts))
        spare = shape.batch - len(slots)
        rows = [slot.row for slot in slots] + [len(self._slots.living) + i for i in range(spare)]
        starts += [0] * spare
        alone = np.ones((1, 1), dtype=bool)
        nothing = [np.zeros(1, dtype=np.int64)] * spare
        mask = additive_mask(
            starts, [w.sees for w in windows] + [alone] * spare, shape.width, dtype, device, shape.keys
        )
        assert mask is not None
        inputs = (
            torch.tensor(rows, device=device),
            torch.tensor(starts, device=device)[:, None] + torch.arange(shape.width, device=device),
            padded([w.tokens for w in windows] + nothing, shape.width, device),
            padded([*positions, *nothing], shape.width, device),
            mask,
        )
        logits = self._run(shape, inputs)
        return logits[: len(slots)][real_slots(widths, shape.width, device)]

    def _shape(self, slots: Sequence[Slot], width: int, start: int) -> Shape:
        batch = 1 << (len(slots) - 1).bit_length()
        at = bisect_left(self._widths, width)
        wide = self._widths[at] if at < len(self._widths) else width
        keys = -(-(start + wide) // _KEYS_STEP) * _KEYS_STEP
        self._slots.reserve(keys)
        self._slots.reserve_rows(len(self._slots.living) + batch - len(slots))
        dense = len(slots) == len(self._slots.living) and [slot.row for slot in slots] == list(
            range(len(slots))
        )
        return Shape(batch, wide, keys, dense)

    def _run(self, shape: Shape, inputs: tuple[Tensor, ...]) -> Tensor:
        if not self._capture:
            return self._step(shape, *inputs)
        if self._generation != self._slots.generation:
            self._graphs.clear()
        if shape not in self._graphs:
            self._graphs[shape] = _Graph(lambda *held: self._step(shape, *held), inputs)
        # Capturing may have made layers that were never written before.
        self._generation = self._slots.generation
        return self._graphs[shape](inputs)

    def _step(
        self, shape: Shape, rows: Tensor, columns: Tensor, ids: Tensor, positions: Tensor, mask: Tensor
    ) -> Tensor:
        return self._model(_FixedCache(self._slots, shape, rows, columns), ids, positions, mask)


class _FixedCache(Cache):
    """As ``WindowCache``, with its places in tensors, which a graph can read anew at each replay."""

    def __init__(self, slots: KVSlots, shape: Shape, rows: Tensor, columns: Tensor) -> None:
        super().__init__(layers=[])
        self._slots, self._shape, self._rows, self._columns = slots, shape, rows, columns

    def update(
        self, key_states: Tensor, value_states: Tensor, layer_idx: int, *args: object, **kwargs: object
    ) -> tuple[Tensor, Tensor]:
        """Store a layer's window; returns the keys and values of the shape's columns."""
        keys, values = self._slots.layer(layer_idx, key_states)
        keys[self._rows[:, None], :, self._columns] = key_states.transpose(1, 2)
        values[self._rows[:, None], :, self._columns] = value_states.transpose(1, 2)
        if self._shape.dense:
            keys, values = keys[: self._shape.batch], values[: self._shape.batch]
        else:
            keys, values = keys[self._rows], values[self._rows]
        return keys[:, :, : self._shape.keys], values[:, :, : self._shape.keys]

    def get_seq_length(self, layer_idx: int = 0) -> int:
        """Columns before the window's, as far as the shape goes."""
        return self._shape.keys - self._shape.width

    def get_mask_sizes(self, query_length: int, layer_idx: int) -> tuple[int, int]:
        """(keys seen, offset)."""
        return self._shape.keys, 0


class _Graph:
    """A step captured as a CUDA graph with inputs and output in fixed places."""

    def __init__(self, step: Callable[..., Tensor], inputs: tuple[Tensor, ...]) -> None:
        self._inputs = tuple(value.clone() for value in inputs)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            step(*self._inputs)  # kernels choose their algorithms and workspaces before the capture
        torch.cuda.current_stream().wait_stream(stream)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._output = step(*self._inputs)

    def __call__(self, inputs: tuple[Tensor, ...]) -> Tensor:
        for held, value in zip(self._inputs, inputs, strict=True):
            held.copy_(value)
        self._graph.replay()
        return self._output
