"""``galley-nano`` as the trainer sees it, and documents for it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from galley.targets.nano.follow import START, Follower, position, prompt_positions
from galley.targets.nano.reading import Reading, make_reading
from galley.targets.nano.tokens import CONTROL, Vocabulary
from galley.training.example import PROMPT, Example, Ids
from galley.training.learner import Batch
from galley.training.masks import attention_mask
from galley.training.nano.compose import Composed, LineDataset, Mixture, compose
from galley.training.nano.model import Nano

REFRESH = 4000
"""Documents between searches for new shards."""


class NanoLearner:
    """Trains ``galley-nano``.

    Prompt slots see the whole prompt. Response positions follow the reading, and each slot takes in the token that
    its own position names.
    """

    bidirectional_prompt = True

    def __init__(self, module: Nano):
        self.module = module

    def states(self, batch: Batch) -> Tensor:
        """Final hidden states (rows, L, width)."""
        nano = self.module
        x = nano.embed(batch.ids)
        features, boxes, where = _readings(batch)
        if len(where):
            flat = x.flatten(0, 1)
            flat = flat.index_add(0, where, nano.encoder(features, boxes).to(x.dtype))
            slots, tokens = _lookahead_slots(batch)
            x = flat.index_add(0, slots, nano.lookahead(flat[tokens]).to(x.dtype)).view_as(x)
        return nano.hidden(
            x, batch.positions[0], attention_mask(batch.slots, self.bidirectional_prompt, _compute_type(x))
        )

    def logits(self, states: Tensor) -> Tensor:
        """Logits (n, vocabulary) of chosen states (n, width)."""
        return self.module.logits(states)


def _compute_type(x: Tensor) -> torch.dtype:
    device = x.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else x.dtype


def _readings(batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
    """Features, boxes and flat slots of all reading tokens of a batch."""
    length = batch.ids.shape[1]
    found = [
        (row * length + start, reading)
        for row, start, reading in batch.payloads
        if isinstance(reading, Reading)
    ]
    features = np.concatenate([reading.features for _, reading in found])
    boxes = np.concatenate([reading.boxes for _, reading in found])
    where = np.concatenate([at + np.arange(len(reading)) for at, reading in found])
    device = batch.ids.device
    return (
        torch.from_numpy(features).to(device).float(),
        torch.from_numpy(boxes).to(device),
        torch.from_numpy(where).to(device),
    )


def _lookahead_slots(batch: Batch) -> tuple[Tensor, Tensor]:
    """Flat slots that take in a reading token, and the slots of these tokens.

    Position p takes in token p, counted from 0, of the document's reading.
    """
    rows, length = batch.ids.shape
    documents: list[list[tuple[int, int]]] = [[] for _ in range(rows)]
    for row, first, reading in batch.payloads:
        documents[row].append((row * length + first, len(reading) if isinstance(reading, Reading) else 0))
    most = max(map(len, documents))
    starts, counts = torch.tensor([row + [(0, 0)] * (most - len(row)) for row in documents]).unbind(-1)
    doc = batch.slots.doc.clamp(min=0)
    start = starts.to(doc.device).gather(1, doc)
    count = counts.to(doc.device).gather(1, doc) * (batch.slots.doc >= 0)
    reads = (batch.slots.role == PROMPT) & (batch.slots.index < count)
    takes = ~reads & (batch.positions[0] < count)
    return takes.flatten().nonzero()[:, 0], (start + batch.positions[0])[takes]


@dataclass(frozen=True, eq=False, kw_only=True)
class NanoExample(Example):
    """A document whose response's positions follow its reading, as they do in decoding."""

    follower: Follower

    def response_positions(self, response: Ids, block_size: int) -> tuple[Ids, Ids]:
        """Positions of the filled response in its clean and corrupted streams; they follow the reading."""
        clean = np.array([position(place) for place in self.follower.walk(response)])
        # A block's masks count on from the token before it.
        before = np.append(position(START), clean[:-1])[::block_size]
        steps = 1 + np.arange(len(response)) % block_size
        corrupted = np.repeat(before, block_size)[: len(response)] + steps
        return clean[None], corrupted[None]

    def answered(self, response: Ids) -> NanoExample:
        """The same prompt with another response."""
        return replace(self, response=response)


def to_example(composed: Composed, vocabulary: Vocabulary, noise: np.random.Generator | None) -> NanoExample:
    """A composed document as token ids.

    The reading stands at positions 1, 2, …, then the task's token at position 0, then the response at positions that
    follow the reading.

    Args:
        composed: The document.
        vocabulary: Its tokenizer.
        noise: Adds wrong reading tokens; none when None.
    """
    reading = make_reading(vocabulary, composed.groups, composed.task)
    ids = reading.ids if noise is None else noisy_ids(reading.ids, vocabulary.size, noise)
    return NanoExample(
        prompt=np.append(ids, vocabulary.tasks[composed.task]),
        prompt_positions=prompt_positions(len(ids))[None],
        first_position=1,
        response=np.array(vocabulary.encode(composed.target), dtype=np.int64),
        payload=reading,
        follower=Follower.of(ids, vocabulary),
    )


def noisy_ids(ids: np.ndarray, vocabulary_size: int, rng: np.random.Generator) -> np.ndarray:
    """Some documents get wrong reading tokens, so that features are learnt as a source of their own."""
    rate = rng.choice([0.0, 0.0, 0.02, 0.08])
    wrong = (rng.random(len(ids)) < rate) & (ids >= len(CONTROL))
    return np.where(wrong, rng.integers(len(CONTROL), vocabulary_size, len(ids)), ids)


class Documents(Iterator[Example]):
    """An endless stream; document ``position`` depends on (seed, position) and on the shards held."""

    def __init__(
        self, dataset: LineDataset, vocabulary: Vocabulary, mixture: Mixture, seed: int, noise: bool = True
    ):
        self.dataset, self.vocabulary, self.mixture, self.seed, self.noise = (
            dataset,
            vocabulary,
            mixture,
            seed,
            noise,
        )
        self.position = 0
        self._turn = -1

    def __next__(self) -> Example:
        turn = self.position // REFRESH
        if turn != self._turn:
            self.dataset.refresh(random.Random(f"{self.seed} shards"), turn)
            self._turn = turn
        rng = random.Random(f"{self.seed} document {self.position}")
        noise = np.random.default_rng([self.seed, self.position]) if self.noise else None
        self.position += 1
        return to_example(compose(self.dataset, self.mixture, rng), self.vocabulary, noise)


def feature_statistics(dataset: LineDataset) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation of each channel over the shards held, (120,) each."""
    lines = [line.features for units in dataset.by_kind.values() for unit in units for line in unit.lines]
    frames = np.concatenate(lines[:20_000]).astype(np.float32)
    return torch.from_numpy(frames.mean(0)), torch.from_numpy(frames.std(0) + 1e-3)
