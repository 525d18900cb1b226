"""What every part of training speaks of: one document to learn from, and rows of slots made of several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

IGNORE = -100
"""Label of a slot without supervision, as PyTorch's cross-entropy has it."""

PROMPT, CLEAN, MASKED_A, MASKED_B, PAD = range(5)
"""Roles of slots: prompt and image, the clean response, its two corrupted copies, and the filling of a
row."""


@dataclass(frozen=True, eq=False)
class Example:
    """A document.

    Attributes:
        prompt: (P,) token ids, image place-holders included.
        prompt_positions: (axes, P) position ids of one or more rotary axes.
        first_position: Position of the first response token, the same on every axis.
        response: (n,) ids without the end of sequence.
        payload: What the model needs besides ids (features, pixels); opaque here.
    """

    prompt: Ids
    prompt_positions: Ids
    first_position: int
    response: Ids
    payload: Any = None

    def response_positions(self, response: Ids, block_size: int) -> tuple[Ids, Ids]:
        """Positions (axes, n) of the filled response in its clean and in its corrupted streams.

        Both are the same, one number after the other, unless a model numbers them in another way.
        """
        counted = self.first_position + np.arange(len(response))
        positions = np.broadcast_to(counted, (len(self.prompt_positions), len(response)))
        return positions, positions


class Slots(NamedTuple):
    """What decides who sees whom; arrays or tensors of one shape.

    Attributes:
        role: See above.
        doc: Number of the document in its row, -1 for filling.
        index: Place within the prompt or within the response.
        block: The response's block of ``block_size`` tokens.
    """

    role: Any
    doc: Any
    index: Any
    block: Any


@dataclass(frozen=True, eq=False)
class Row:
    """``L`` slots of packed documents.

    Attributes:
        ids: (L,).
        positions: (axes, L).
        ar_labels, diff_labels: (L,), the id that a slot's logit is to predict in the autoregressive and in the
            denoising loss, or ``IGNORE``; a slot that counts in both has the same id in both.
        slots: Of (L,) arrays.
        payloads: Those of the documents with the slot each document starts at.
    """

    ids: Ids
    positions: Ids
    ar_labels: Ids
    diff_labels: Ids
    slots: Slots
    payloads: list[tuple[int, Any]]

    def __len__(self) -> int:
        return len(self.ids)
