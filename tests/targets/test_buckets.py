"""The few shapes that forwards are rounded up to, on a model that only notes what it is given."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from galley.decoding import Window
from galley.targets.transformers.fixed_shapes import FixedShapes
from galley.targets.transformers.slots import KVSlots, Slot


class Noting:
    """Logits that name the row and column they belong to; the shapes of all calls."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, int, int]] = []

    def __call__(
        self, cache: object, ids: torch.Tensor, positions: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        batch, width = ids.shape
        assert positions.shape == ids.shape and mask.shape[:3] == (batch, 1, width)
        assert cache.get_mask_sizes(width, 0) == (mask.shape[3], 0)  # type: ignore[attr-defined]
        assert cache.get_seq_length() == mask.shape[3] - width  # type: ignore[attr-defined]
        self.shapes.append((batch, width, mask.shape[3]))
        self.seen = (mask[:, 0] == 0).numpy()
        return torch.arange(batch * width).reshape(batch, width, 1)


def run(
    lengths: list[int], widths: list[int], block_size: int | None = None
) -> tuple[Noting, list[int], list[Slot]]:
    slots, model = KVSlots(), Noting()
    rows = [slots.open() for _ in lengths]
    for row, length in zip(rows, lengths, strict=True):
        row.length = length
    windows = [Window.chain([0] * width) for width in widths]
    fixed = FixedShapes(model, slots, block_size, capture=False)
    places = [row.length + window.depths for row, window in zip(rows, windows, strict=True)]
    logits = fixed(rows, windows, places, torch.float32, torch.device("cpu"))
    assert slots.capacity >= model.shapes[0][2] and slots.rows >= model.shapes[0][0]
    return model, logits[:, 0].tolist(), rows


@pytest.mark.parametrize(
    ("lengths", "widths", "block_size", "shape"),
    [
        ([3], [1], None, (1, 1, 512)),
        ([3, 9], [2, 1], None, (2, 2, 512)),
        ([3, 9, 4], [3, 1, 1], None, (4, 4, 512)),
        ([510], [2], None, (1, 2, 512)),
        ([511], [2], None, (1, 2, 1024)),
        ([3] * 5, [6] * 5, None, (8, 8, 512)),
        ([3], [6], 5, (1, 6, 512)),
        ([3], [7], 5, (1, 8, 512)),
        ([3], [33], 32, (1, 33, 512)),
        ([3], [2000], None, (1, 2048, 2560)),
        ([3], [3000], None, (1, 3000, 3072)),
    ],
)
def test_shapes_are_few(
    lengths: list[int], widths: list[int], block_size: int | None, shape: tuple[int, int, int]
) -> None:
    model, _, _ = run(lengths, widths, block_size)
    assert model.shapes == [shape]


def test_rows_see_their_past_and_themselves_and_what_is_returned_is_theirs() -> None:
    model, logits, rows = run([3, 0, 600], [2, 3, 1])
    assert logits == [0, 1, 4, 5, 6, 8]
    for number, (row, width) in enumerate(zip(rows, [2, 3, 1], strict=True)):
        for slot in range(width):
            assert np.flatnonzero(model.seen[number, slot]).tolist() == list(range(row.length + slot + 1))
