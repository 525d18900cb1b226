"""What the trainer needs of a model: any causal model with a mask token can be taught to draft for itself."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from galley.training.example import IGNORE, Row, Slots


class Batch(NamedTuple):
    """Rows stacked to tensors.

    Attributes:
        ids: Token ids (rows, L).
        ar_labels: Labels (rows, L) of the autoregressive loss.
        diff_labels: Labels (rows, L) of the denoising loss.
        positions: Positions (axes, rows, L).
        slots: What each slot is, each field (rows, L).
        payloads: What prompts bring besides ids, as (row, first slot, payload).
    """

    ids: Tensor
    ar_labels: Tensor
    diff_labels: Tensor
    positions: Tensor
    slots: Slots
    payloads: list[tuple[int, int, object]]

    @classmethod
    def stack(cls, rows: list[Row], device: torch.device | str = "cpu") -> Batch:
        """Stack rows of equal length on a device."""

        def tensor(arrays: list[np.ndarray], dim: int = 0) -> Tensor:
            return torch.from_numpy(np.stack(arrays, axis=dim)).to(device)

        return cls(
            tensor([row.ids for row in rows]),
            tensor([row.ar_labels for row in rows]),
            tensor([row.diff_labels for row in rows]),
            tensor([row.positions for row in rows], dim=1),
            Slots(*(tensor([row.slots[field] for row in rows]) for field in range(len(Slots._fields)))),
            [(number, start, payload) for number, row in enumerate(rows) for start, payload in row.payloads],
        )

    @property
    def supervised(self) -> Tensor:
        """(rows, L) booleans: slots with a label of either loss."""
        return (self.ar_labels != IGNORE) | (self.diff_labels != IGNORE)


class Learner(Protocol):
    """A model in training.

    Attributes:
        module: Its parameters.
        bidirectional_prompt: Whether prompt slots see the whole prompt.
    """

    bidirectional_prompt: bool

    @property
    def module(self) -> nn.Module:
        """The model's parameters."""

    def states(self, batch: Batch) -> Tensor:
        """Final hidden states (rows, L, width); attention follows ``galley.training.masks``."""
        ...

    def logits(self, states: Tensor) -> Tensor:
        """Logits (n, vocabulary) of chosen states (n, width)."""
        ...
