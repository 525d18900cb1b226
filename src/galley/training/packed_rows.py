"""From documents to rows: streams of one document, their labels (GravityOCR, section 3.1), shared-prefix packing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from galley.errors import InputError
from galley.training.corruption import Schedule, fill_with_eos, masks
from galley.training.example import CLEAN, IGNORE, MASKED_A, MASKED_B, PAD, PROMPT, Example, Ids, Row, Slots

_CORRUPTED = (MASKED_A, MASKED_B)
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

    def of(self, schedule: Schedule) -> Recipe:
        """The recipe of one document, whose schedule is drawn."""
        return replace(self, schedule=schedule)

    @property
    def streams(self) -> int:
        """Copies of the response in a row, the clean one included."""
        return 1 + self.schedule.streams if self.joint else 1

    def cost(self, example: Example) -> int:
        """The slots a document takes: its prompt, image included, and one response per stream.

        It is the most it can take if its schedule is not drawn yet.
        """
        end = self.block_size if self.joint else 1
        return len(example.prompt) + self.streams * (len(example.response) + end)


class Document(NamedTuple):
    """An example and the schedule drawn for it, on which its cost depends."""

    example: Example
    schedule: Schedule


class _Stream(NamedTuple):
    """Slots of one role: ids and labels of both losses, all (n,)."""

    role: int
    ids: Ids
    ar: Ids
    diff: Ids


def lay_out(example: Example, recipe: Recipe, rng: np.random.Generator) -> Row:
    """The slots of one document: prompt, clean response, corrupted copies.

    A slot's logit predicts the token of the *next* slot, y_i from the logit at i − 1, in the clean and in the
    corrupted streams. The clean stream has every next token for a label, of the run of end tokens only the first. A
    corrupted stream has masked *targets* alone: its slot j has a label where token j + 1 is masked in that stream,
    whether slot j itself is masked or not. The first token is predicted by the prompt's last slot, which all streams
    share; so that slot has a denoising label besides.
    """
    schedule = recipe.schedule.draw(rng)
    response = fill_with_eos(example.response, recipe.eos, recipe.block_size if recipe.joint else 1)
    prompt, n = len(example.prompt), len(response)
    masked = masks(n, recipe.block_size, schedule, rng) if recipe.joint else []
    parts = [
        _prompt(example, response, masked),
        _clean(response, len(example.response)),
        *(
            _corrupted(role, response, hidden, recipe.mask)
            for role, hidden in zip(_CORRUPTED, masked, strict=False)
        ),
    ]
    copies = len(parts) - 1
    places = np.arange(n)
    clean, corrupted = example.response_positions(response, recipe.block_size)
    return Row(
        ids=np.concatenate([part.ids for part in parts]),
        positions=np.concatenate([example.prompt_positions, clean, *[corrupted] * len(masked)], axis=1),
        ar_labels=np.concatenate([part.ar for part in parts]),
        diff_labels=np.concatenate([part.diff for part in parts]),
        slots=Slots(
            role=np.concatenate([np.full(len(part.ids), part.role) for part in parts]),
            doc=np.zeros(prompt + copies * n, dtype=np.int64),
            index=np.concatenate([np.arange(prompt), *[places] * copies]),
            block=np.concatenate([np.full(prompt, -1), *[places // recipe.block_size] * copies]),
        ),
        payloads=[(0, example.payload)],
    )


def _prompt(example: Example, response: Ids, masked: list[NDArray[np.bool_]]) -> _Stream:
    ar, diff = np.full((2, len(example.prompt)), IGNORE)
    ar[-1] = response[0]
    if any(hidden[0] for hidden in masked):
        diff[-1] = response[0]
    return _Stream(PROMPT, example.prompt, ar, diff)


def _clean(response: Ids, length: int) -> _Stream:
    ar, none = np.full((2, len(response)), IGNORE)
    ar[:length] = response[1 : length + 1]
    return _Stream(CLEAN, response, ar, none)


def _corrupted(role: int, response: Ids, hidden: NDArray[np.bool_], mask: int) -> _Stream:
    none, diff = np.full((2, len(response)), IGNORE)
    diff[:-1] = np.where(hidden, response, IGNORE)[1:]
    return _Stream(role, np.where(hidden, mask, response), none, diff)


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
        ar_labels=np.concatenate([*(row.ar_labels for row in rows), np.full(left, IGNORE)]),
        diff_labels=np.concatenate([*(row.diff_labels for row in rows), np.full(left, IGNORE)]),
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

    Args:
        capacity: Slots per row.
        rows: Rows per batch.
        patience: Documents that found no place before a batch is closed; they open the next one. Documents
            longer than a row cannot be learnt from whole; ``too_long`` counts them, and ``InputError`` is
            raised when there is nothing else for long.
    """

    def __init__(self, recipe: Recipe, capacity: int, rows: int, patience: int = 4):
        self.recipe, self.capacity, self.rows, self.patience = recipe, capacity, rows, patience
        self.carried: list[Document] = []
        self.too_long = 0

    def batch(self, examples: Iterator[Example], rng: np.random.Generator) -> list[list[Document]]:
        """The documents of each row of the next batch; fewer rows when ``examples`` ends. ``rng`` draws schedules."""
        filled: list[list[Document]] = [[] for _ in range(self.rows)]
        available = np.full(self.rows, self.capacity)
        waiting, self.carried = self.carried, []
        in_a_row = 0
        while len(self.carried) < self.patience:
            document = waiting.pop(0) if waiting else self._next(examples, rng)
            if document is None:
                break
            cost = self.recipe.of(document.schedule).cost(document.example)
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
            fits = np.flatnonzero(available >= cost)
            if len(fits):
                filled[fits[0]].append(document)
                available[fits[0]] -= cost
            else:
                self.carried.append(document)
        self.carried += waiting
        return [row for row in filled if row]

    def _next(self, examples: Iterator[Example], rng: np.random.Generator) -> Document | None:
        example = next(examples, None)
        return Document(example, self.recipe.schedule.draw(rng)) if example is not None else None

    def make(self, documents: list[Document], rng: np.random.Generator) -> Row:
        """A row of documents whose costs together are within ``capacity``."""
        return join(
            [lay_out(document.example, self.recipe.of(document.schedule), rng) for document in documents],
            self.capacity,
            self.recipe.pad,
        )
