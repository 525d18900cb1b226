"""The loop guard: fires on loops, long ones too, and leaves repetitive documents alone."""

from __future__ import annotations

import random

import pytest
from toy_target import ToyTarget

from galley.decoding import Decoder, DraftPool, Finish, ForwardCosts, Loop, LoopGuard, Request


def fires(
    text: list[int], drafts: list[list[int]] | None = None, guard: LoopGuard | None = None
) -> Loop | None:
    watch = (guard or LoopGuard()).watch(DraftPool(drafts or []).count)
    for token in text:
        if loop := watch.see(token):
            return loop
    return None


def words(count: int, seed: int = 0) -> list[int]:
    """Running text: ids from a large vocabulary."""
    dice = random.Random(seed)
    return [dice.randrange(100, 30_000) for _ in range(count)]


ROW, CELL, END, BREAK, DOT, DASH = 1, 2, 3, 4, 5, 6


def blank_rows(columns: int, rows: int, filler: int | None = None) -> list[int]:
    cell = [CELL, END] if filler is None else [CELL, filler, END]
    return ([ROW] + cell * columns + [BREAK]) * rows


def test_a_stuck_token() -> None:
    loop = fires(words(300) + [DOT] * 1000)
    assert loop is not None
    assert (loop.start, loop.period) == (300, 1)
    assert loop.copies <= 260


@pytest.mark.parametrize("period", [2, 7, 40, 150, 500, 1000])
def test_a_repeated_passage(period: int) -> None:
    """Sentences and whole table rows, whatever their length."""
    unit = words(period, seed=period)
    loop = fires(words(100) + unit * 200)
    assert loop is not None
    assert loop.period == period
    assert loop.start == 100
    assert loop.copies <= max(9, 256 // period + 1)


def test_a_repeated_table_row() -> None:
    row = [ROW, *[token for word in words(6) for token in (CELL, word, END)], BREAK]
    loop = fires(words(50) + row * 60)
    assert loop is not None
    assert loop.period == len(row)


def test_running_text_never_fires() -> None:
    assert fires(words(20_000)) is None


@pytest.mark.parametrize(
    "text",
    [
        blank_rows(10, 25),
        blank_rows(3, 40),
        blank_rows(8, 30, DASH),
        [token for line in range(60) for token in (*words(5, line), *[DOT] * 90, line + 1000)],
        [
            token
            for line in range(80)
            for token in (ROW, CELL, line + 100, END, *[CELL, DASH, END] * 12, BREAK)
        ],
        words(30) * 3,
    ],
    ids=["blank form", "narrow form", "dashes", "table of contents", "numbered rows", "said three times"],
)
def test_repetitive_documents_pass(text: list[int]) -> None:
    assert fires(words(40) + text + words(40, 1)) is None


def test_drafts_vouch_for_repetition() -> None:
    table = blank_rows(12, 150)
    assert fires(table) is not None
    assert fires(table, [table]) is None
    leaders = [DOT] * 600
    assert fires(leaders) is not None
    assert fires(leaders, [[DOT] * 500]) is None


def test_drafts_vouch_for_no_more_than_they_hold() -> None:
    row = [ROW, *words(20), BREAK]
    assert fires(row * 10, [row * 10]) is None
    assert fires(row * 60, [row * 10]) is not None


def test_the_eighth_copy_of_a_line_is_one_too_many() -> None:
    line = words(40)
    assert fires(line * 7) is None
    assert fires(line * 8) == Loop(0, 40, 8)
    assert fires(line * 13, [line * 3]) is None
    assert fires(line * 14, [line * 3]) == Loop(0, 40, 14)


def test_the_guard_may_be_stricter() -> None:
    assert fires(blank_rows(3, 40), guard=LoopGuard(copies=4, repeated=20)) is not None


class Looping(ToyTarget):
    """Writes a few words and then one row for ever."""

    def logits(self, prompt: int, context):  # type: ignore[no-untyped-def]
        text = [5, 6, 7, *range(10, 34)]
        row = super().logits(prompt, context).copy()
        index = len(context) if len(context) < 3 else 3 + (len(context) - 3) % 24
        row[text[index]] = 30.0
        return row


@pytest.mark.parametrize("drafter", ["ar", "match", "self-spec", "prompt-lookup", "auto"])
def test_a_loop_ends_the_sequence_at_the_same_token_for_every_drafter(drafter: str) -> None:
    target = Looping(quality=1.0)
    (result,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run([Request(1, max_tokens=2000)])
    assert result.finish is Finish.LOOP
    assert result.loop is not None
    assert (result.loop.start, result.loop.period) == (3, 24)
    assert len(result.ids) == 3 + 24 * 11
    assert [committed.token for committed in result.trace] == result.ids
    (whole,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run(
        [Request(1, max_tokens=500, loop_guard=None)]
    )
    assert whole.finish is Finish.LENGTH
    assert whole.ids[: len(result.ids)] == result.ids
