"""Training rows against a reference written from the paper's sentences alone (GravityOCR 3.1), in plain loops.

The reference was written without the implementation in view. It takes one thing from it: which tokens it chose to
mask. From these it says what every slot holds, whom it sees, what it is to predict, and what the loss is.
"""

import math
from dataclasses import dataclass, field
from typing import cast

import numpy as np
import pytest
import torch

from galley.training.corruption import Schedule, masks
from galley.training.example import CLEAN, IGNORE, MASKED_A, MASKED_B, PAD, PROMPT, Example, Row
from galley.training.loss import joint_loss
from galley.training.masks import dense_mask
from galley.training.packed_rows import Packer, Recipe, lay_out

VOCABULARY, EOS, MASK, FILLING = 12, 9, 10, 11
EXAMPLES = 250
"""Of each of the four schedules; 1,000 in all."""


@dataclass
class Reference:
    """What one example is to look like; slots are numbered prefix, clean stream, corrupted streams in turn.

    `seen[q]` are the slots that slot q attends to; `next_token[q]` what its logit is to predict for the autoregressive
    loss, and `denoised` the pairs (slot, target) of the denoising loss.
    """

    ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    seen: list[set[int]] = field(default_factory=list)
    next_token: dict[int, int] = field(default_factory=dict)
    denoised: list[tuple[int, int]] = field(default_factory=list)


def filled(tokens: list[int], ends: int, eos: int) -> list[int]:
    """The response as it is trained: its tokens and end tokens, in joint training exactly one block of them."""
    return list(tokens) + [eos] * ends


def expected(
    prompt: list[int],
    response: list[int],
    tokens: int,
    block_size: int,
    mask: int,
    masked: list[list[bool]],
    bidirectional_prompt: bool = False,
) -> Reference:
    """The example whose response, end tokens included, is `response`, `tokens` of it text.

    Args:
        prompt: ids of the prefix, image tokens and prompt.
        response: ids of the response with its end tokens.
        tokens: how many of the response come before the first end token.
        block_size: slots to a block.
        mask: id of the mask token.
        masked: for each corrupted stream, for each token of the response, whether it is masked there.
        bidirectional_prompt: prefix slots see all of the prefix (an encoder), not only what is before them.
    """
    row = Reference()
    prefix, length = len(prompt), len(response)
    clean = prefix
    for slot in range(prefix):
        row.ids.append(prompt[slot])
        row.positions.append(slot)
        row.seen.append(set(range(prefix if bidirectional_prompt else slot + 1)))
    for index in range(length):
        row.ids.append(response[index])
        row.positions.append(prefix + index)
        row.seen.append(set(range(clean + index + 1)))
    for stream, pattern in enumerate(masked):
        start = prefix + length * (1 + stream)
        for index in range(length):
            block = index // block_size
            row.ids.append(mask if pattern[index] else response[index])
            row.positions.append(prefix + index)
            sees = set(range(prefix))
            sees |= {clean + other for other in range(length) if other // block_size < block}
            sees |= {start + other for other in range(length) if other // block_size == block}
            row.seen.append(sees)
        for index in range(length):
            if pattern[index]:
                slot = prefix - 1 if index == 0 else start + index - 1
                row.denoised.append((slot, response[index]))
    for index in range(tokens + 1):
        row.next_token[prefix - 1 if index == 0 else clean + index - 1] = response[index]
    return row


def cross_entropy(logits: list[float], target: int) -> float:
    """Minus the log-probability of the target, by the definition."""
    top = max(logits)
    return top + math.log(math.fsum(math.exp(value - top) for value in logits)) - logits[target]


def losses(rows: list[tuple[Reference, list[list[float]]]], ar_weight: float) -> tuple[float, float, float]:
    """Joint, denoising and autoregressive loss over examples, each given with the logits of its slots."""
    denoising = [cross_entropy(logits[slot], token) for row, logits in rows for slot, token in row.denoised]
    causal = [
        cross_entropy(logits[slot], token) for row, logits in rows for slot, token in row.next_token.items()
    ]
    diff, ar = math.fsum(denoising) / len(denoising), math.fsum(causal) / len(causal)
    return (diff + ar_weight * ar) / (1 + ar_weight), diff, ar


def drawn(row: Row, document: int, role: int, mask: int) -> list[bool]:
    """Where the implementation masked a document's response in one of its streams; empty if it has no such stream."""
    return [
        bool(row.ids[slot] == mask)
        for slot in range(len(row))
        if row.slots.doc[slot] == document and row.slots.role[slot] == role
    ]


def random_example(rng: np.random.Generator, axes: int) -> tuple[Example, int]:
    """A document of a few tokens, and a block size for it."""
    prompt = rng.integers(0, EOS, size=rng.integers(1, 5))
    positions = rng.integers(0, 9, size=(axes, len(prompt)))
    response = rng.integers(0, EOS, size=rng.integers(0, 9))
    return Example(prompt, positions, int(rng.integers(1, 20)), response), int(rng.integers(1, 6))


def compare(row: Row, document: int, example: Example, recipe: Recipe, bidirectional: bool) -> Reference:
    """Assert that a document of a row is what the reference says, and return the reference."""
    start = int(np.flatnonzero(row.slots.doc == document)[0])
    streams = [drawn(row, document, role, recipe.mask) for role in (MASKED_A, MASKED_B)]
    patterns = [pattern for pattern in streams if pattern]
    response = filled(
        [int(token) for token in example.response], recipe.block_size if recipe.joint else 1, recipe.eos
    )
    prompt = [int(token) for token in example.prompt]
    wanted = expected(
        prompt, response, len(example.response), recipe.block_size, recipe.mask, patterns, bidirectional
    )
    size = len(wanted.ids)
    here = slice(start, start + size)
    assert (row.slots.doc == document).sum() == size
    roles = [PROMPT] * len(prompt)
    for role in [CLEAN, MASKED_A, MASKED_B][: 1 + len(patterns)]:
        roles += [role] * len(response)
    assert list(row.slots.role[here]) == roles
    assert list(row.ids[here]) == wanted.ids
    for axis, given in enumerate(example.prompt_positions):
        counted = [example.first_position + index for index in range(len(response))]
        assert list(row.positions[axis, here]) == list(given) + counted * (1 + len(patterns))

    assert labelled(row.ar_labels[here]) == wanted.next_token
    assert labelled(row.diff_labels[here]) == dict(wanted.denoised)
    mask = np.asarray(dense_mask(row.slots, bidirectional))
    for slot in range(size):
        assert set(np.flatnonzero(mask[start + slot]) - start) == wanted.seen[slot], slot
    return wanted


def labelled(labels: np.ndarray) -> dict[int, int]:
    return {slot: int(label) for slot, label in enumerate(labels) if label != IGNORE}


def every_target_once(wanted: Reference, example: Example, block_size: int) -> bool:
    """The denoising targets of all corrupted streams are the response, each of its tokens once."""
    response = filled([int(token) for token in example.response], block_size, EOS)
    return sorted(token for _, token in wanted.denoised) == sorted(response)


def check_loss(row: Row, parts: list[tuple[int, Reference]], rng: np.random.Generator) -> None:
    """The loss of a row under random logits is that of the reference's documents, by the definition."""
    logits = rng.normal(scale=2.0, size=(len(row), VOCABULARY))
    weight = float(rng.choice([0.0, 0.5, 1.0, 3.0]))
    plain = [(part, [list(values) for values in logits[start:]]) for start, part in parts]
    wanted = losses(plain, weight)
    got = joint_loss(torch.tensor(logits), torch.tensor(row.ar_labels), torch.tensor(row.diff_labels), weight)
    assert (float(got.total), float(got.diff), float(got.ar)) == pytest.approx(wanted, rel=1e-5)
    assert got.diff_tokens == sum(len(part.denoised) for _, part in parts)
    assert got.ar_tokens == sum(len(part.next_token) for _, part in parts)


@pytest.mark.parametrize("schedule", list(Schedule))
def test_rows_labels_masks_and_losses_are_those_of_the_paper(schedule: Schedule) -> None:
    rng = np.random.default_rng(2026)
    for _ in range(EXAMPLES):
        example, block_size = random_example(rng, int(rng.integers(1, 4)))
        recipe = Recipe(EOS, MASK, FILLING, block_size, schedule).of(schedule.draw(rng))
        row = lay_out(example, recipe, rng)
        wanted = compare(row, 0, example, recipe, bidirectional=bool(rng.integers(2)))
        assert every_target_once(wanted, example, block_size)
        streams = 1 if recipe.schedule is Schedule.ALL_MASK else 2
        assert len(row) == len(example.prompt) + (1 + streams) * (len(example.response) + block_size)
        check_loss(row, [(0, wanted)], rng)


@pytest.mark.parametrize("schedule", list(Schedule))
def test_packed_documents_are_those_of_the_paper_and_see_nothing_of_each_other(schedule: Schedule) -> None:
    rng = np.random.default_rng(7)
    for _ in range(12):
        block_size = int(rng.integers(1, 6))
        recipe = Recipe(EOS, MASK, FILLING, block_size, schedule)
        packer = Packer(recipe, capacity=120, rows=2)
        examples = iter([random_example(rng, 2)[0] for _ in range(6)])
        for documents in packer.batch(examples, rng):
            row = packer.make(documents, rng)
            parts = [
                (
                    int(np.flatnonzero(row.slots.doc == number)[0]),
                    compare(row, number, document.example, recipe, bidirectional=False),
                )
                for number, document in enumerate(documents)
            ]
            check_loss(row, parts, rng)
            fill = np.flatnonzero(row.slots.role == PAD)
            assert (row.ids[fill] == FILLING).all()
            assert (row.ar_labels[fill] == IGNORE).all() and (row.diff_labels[fill] == IGNORE).all()


def test_a_causal_row_has_the_clean_stream_alone_and_one_end_token() -> None:
    rng = np.random.default_rng(3)
    for _ in range(50):
        example, block_size = random_example(rng, int(rng.integers(1, 4)))
        recipe = Recipe(EOS, MASK, FILLING, block_size, joint=False)
        wanted = compare(lay_out(example, recipe, rng), 0, example, recipe, bidirectional=False)
        assert not wanted.denoised


def test_all_mask_is_one_corrupted_stream_in_which_everything_is_masked() -> None:
    rng = np.random.default_rng(5)
    for _ in range(50):
        example, block_size = random_example(rng, int(rng.integers(1, 4)))
        row = lay_out(example, Recipe(EOS, MASK, FILLING, block_size, Schedule.ALL_MASK), rng)
        assert all(drawn(row, 0, MASKED_A, MASK)) and not drawn(row, 0, MASKED_B, MASK)


def test_each_block_draws_a_mask_probability_of_its_own() -> None:
    """With t ~ U(0, 1) for a block, a block of four has 0 to 4 masks equally often, whatever its neighbours have."""
    rng = np.random.default_rng(11)
    example = Example(np.zeros(1, int), np.zeros((1, 1), int), 1, np.zeros(4 * 999, int))
    row = lay_out(example, Recipe(EOS, MASK, FILLING, 4), rng)
    first, second = (
        np.array(drawn(row, 0, role, MASK)).reshape(1000, 4).sum(axis=1) for role in (MASKED_A, MASKED_B)
    )
    assert (first + second == 4).all()
    counts = np.bincount(first, minlength=5)
    assert (np.abs(counts - 200) < 4 * math.sqrt(1000 * 0.2 * 0.8)).all(), counts
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 4 / math.sqrt(1000)


class Drawn:
    """A generator that gives a block's t first, then the number each of its tokens is compared with."""

    def __init__(self, t: float, below: float) -> None:
        self._values = iter([t, below])

    def random(self, count: int) -> np.ndarray:
        return np.full(count, next(self._values))


@pytest.mark.parametrize(
    ("t", "below", "masked"),
    [
        (0.0, 0.9e-3, True),
        (0.0, 1.1e-3, False),
        (0.5, 0.5004, True),
        (0.5, 0.5006, False),
        (0.999, 0.999, True),
    ],
)
def test_the_mask_probability_of_a_block(t: float, below: float, masked: bool) -> None:
    """(1 - 1e-3) t + 1e-3, so that no block is without masks in expectation."""
    drawn_at = cast(np.random.Generator, Drawn(t, below))
    assert masks(3, 3, Schedule.UNIFORM, drawn_at)[0].tolist() == [masked] * 3
