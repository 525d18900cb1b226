"""From documents to rows: streams of one document, shared-prefix packing, labels (GravityOCR, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from galley.errors import InputError
from galley.training.corruption import Schedule, fill_with_eos, hide
from galley.training.example import CLEAN, IGNORE, MASKED_A, MASKED_B, PAD, PROMPT, Example, Row, Slots

_HOPELESS = 200
"""Documents in a row that are too long, after which the capacity is taken to be wrong."""


@dataclass(frozen=True)
class Recipe:
    """How documents become rows. ``joint`` adds the corrupted streams; without it rows are plainly causal."""

    eos: int
    mask: int
    pad: int
    block_size: int
    schedule: Schedule = Schedule.UNIFORM
    joint: bool = True

    @property
    def streams(self) -> int:
        """Copies of the response in a row, the clean one included."""
        return 1 + self.schedule.streams if self.joint else 1

    def cost(self, example: Example) -> int:
        """Slots a document takes: prompt (image included) + one response per stream."""
        end = self.block_size if self.joint else 1
        return len(example.prompt) + self.streams * (len(example.response) + end)


def lay_out(example: Example, recipe: Recipe, rng: np.random.Generator) -> Row:
    """The slots of one document: prompt, clean response, corrupted copies.

    The label of a slot is the token of the *next* one (the shift convention), in the corrupted streams alike,
    where only masked slots have one. Of the run of end tokens only the first is a label of the clean stream.
    """
    response = fill_with_eos(example.response, recipe.eos, recipe.block_size if recipe.joint else 1)
    prompt, n = len(example.prompt), len(response)
    following = np.append(response[1:], IGNORE)
    clean_labels = following.copy()
    clean_labels[len(example.response) :] = IGNORE
    prompt_labels = np.full(prompt, IGNORE)
    prompt_labels[-1] = response[0]
    parts = [(PROMPT, example.prompt, prompt_labels), (CLEAN, response, clean_labels)]
    if recipe.joint:
        hidden = hide(n, recipe.block_size, recipe.schedule, rng)
        for role, masked in zip(
            (MASKED_A, MASKED_B)[: recipe.schedule.streams], (hidden, ~hidden), strict=False
        ):
            parts.append((role, np.where(masked, recipe.mask, response), np.where(masked, following, IGNORE)))
    copies = len(parts) - 1
    places = np.arange(n)
    clean, corrupted = example.response_positions(response, recipe.block_size)
    return Row(
        ids=np.concatenate([ids for _, ids, _ in parts]),
        positions=np.concatenate([example.prompt_positions, clean, *[corrupted] * (copies - 1)], axis=1),
        labels=np.concatenate([labels for _, _, labels in parts]),
        slots=Slots(
            role=np.concatenate([np.full(len(ids), role) for role, ids, _ in parts]),
            doc=np.zeros(prompt + copies * n, dtype=np.int64),
            index=np.concatenate([np.arange(prompt), *[places] * copies]),
            block=np.concatenate([np.full(prompt, -1), *[places // recipe.block_size] * copies]),
        ),
        payloads=[(0, example.payload)],
    )


def join(rows: list[Row], capacity: int, pad: int) -> Row:
    """Documents side by side in one row of exactly ``capacity`` slots."""
    starts = np.cumsum([0, *(len(row) for row in rows)])
    left = capacity - int(starts[-1])
    if left < 0:
        raise ValueError(f"documents of {starts[-1]} slots do not fit a row of {capacity}")
    axes = len(rows[0].positions) if rows else 1
    filling = np.full(left, -1)
    return Row(
        ids=np.concatenate([*(row.ids for row in rows), np.full(left, pad)]),
        positions=np.concatenate(
            [*(row.positions for row in rows), np.zeros((axes, left), np.int64)], axis=1
        ),
        labels=np.concatenate([*(row.labels for row in rows), np.full(left, IGNORE)]),
        slots=Slots(
            role=np.concatenate([*(row.slots.role for row in rows), np.full(left, PAD)]),
            doc=np.concatenate([*(np.full(len(row), i) for i, row in enumerate(rows)), filling]),
            index=np.concatenate([*(row.slots.index for row in rows), filling]),
            block=np.concatenate([*(row.slots.block for row in rows), filling]),
        ),
        payloads=[
            (int(start) + at, payload)
            for start, row in zip(starts[:-1], rows, strict=True)
            for at, payload in row.payloads
        ],
    )


class Packer:
    """First-fit packing of a stream of documents into batches of rows, with carry-over.

    capacity: slots per row. rows: rows per batch. patience: documents that found no room before a batch is
    closed; they open the next one. Documents longer than a row cannot be learnt from whole; ``too_long``
    counts them, and ``InputError`` is raised when there is nothing else for long.
    """

    def __init__(self, recipe: Recipe, capacity: int, rows: int, patience: int = 4):
        self.recipe, self.capacity, self.rows, self.patience = recipe, capacity, rows, patience
        self.carried: list[Example] = []
        self.too_long = 0

    def batch(self, documents: Iterator[Example]) -> list[list[Example]]:
        """The documents of each row of the next batch; fewer rows when ``documents`` ends."""
        filled: list[list[Example]] = [[] for _ in range(self.rows)]
        room = np.full(self.rows, self.capacity)
        waiting, self.carried = self.carried, []
        in_a_row = 0
        while len(self.carried) < self.patience:
            document = waiting.pop(0) if waiting else next(documents, None)
            if document is None:
                break
            cost = self.recipe.cost(document)
            if cost > self.capacity:
                self.too_long += 1
                in_a_row += 1
                if in_a_row == _HOPELESS:
                    raise InputError(
                        f"{in_a_row} documents in a row do not fit rows of {self.capacity} tokens"
                        f" (the last one takes {cost}); raise the capacity"
                    )
                continue
            in_a_row = 0
            fits = np.flatnonzero(room >= cost)
            if len(fits):
                filled[fits[0]].append(document)
                room[fits[0]] -= cost
            else:
                self.carried.append(document)
        self.carried += waiting
        return [row for row in filled if row]

    def make(self, documents: list[Example], rng: np.random.Generator) -> Row:
        return join(
            [lay_out(document, self.recipe, rng) for document in documents], self.capacity, self.recipe.pad
        )
