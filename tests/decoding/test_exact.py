"""Whatever is drafted, by whom and in which batch: the ids are those of a plain loop."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toy_target import ToyMtpTarget, ToyTarget, plain

from galley.decoding import (
    Auto,
    Autoregressive,
    Decoder,
    DraftMatching,
    Exact,
    Finish,
    ForwardCosts,
    MatchLimits,
    Mtp,
    PromptLookup,
    Request,
    Sampling,
    SelfSpeculation,
    Threshold,
)

SELF = [SelfSpeculation(), SelfSpeculation(block_size=3), SelfSpeculation(tau_d=0.5), Auto(), Auto(anchors=8)]
FREE = [
    Autoregressive(),
    DraftMatching(),
    DraftMatching(MatchLimits(n=2, depth=3, chain=5), nodes=9),
    PromptLookup(),
    Auto(),
]
COSTS = [
    ForwardCosts.flat(),
    ForwardCosts([1, 100], [1.0, 1.05]),
    ForwardCosts([1, 100], [1.0, 20.0]),
    ForwardCosts([1, 2], [1.0, 2.0]),
]


def noisy(text: list[int], rng: random.Random, errors: float) -> list[int]:
    """A draft of a text with substitutions, deletions and insertions."""
    draft: list[int] = []
    for token in text:
        if rng.random() >= errors:
            draft.append(token)
        elif rng.random() < 0.7:
            draft += [rng.randrange(38) for _ in range(rng.randrange(1, 3))]
    return draft


def drafts_for(text: list[int], rng: random.Random) -> list[list[int]]:
    """Any pool: perfect, noisy, cut up and shuffled, hostile, empty."""
    kind = rng.choice(["none", "empty", "perfect", "noisy", "pieces", "hostile", "all"])
    if kind in ("none", "empty"):
        return [] if kind == "none" else [[], []]
    hostile = [[rng.randrange(40) for _ in range(rng.randrange(60))] for _ in range(2)]
    cuts = sorted(rng.choices(range(len(text) + 1), k=3))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    rng.shuffle(pieces)
    pools = {
        "perfect": [text],
        "noisy": [noisy(text, rng, 0.15)],
        "pieces": [noisy(piece, rng, 0.05) for piece in pieces],
        "hostile": hostile,
    }
    return pools.get(kind) or [draft for pool in pools.values() for draft in pool]


def decode_and_compare(target: ToyTarget, drafters: list, seed: int) -> None:
    """A batch of random requests, some joining late, against the plain loop."""
    rng = random.Random(seed)
    decoder = Decoder(target, rng.choice(drafters), max_batch=rng.randrange(1, 5), costs=rng.choice(COSTS))
    wanted: dict[int, list[int]] = {}
    finished = {}
    waiting = rng.randrange(1, 6)
    while waiting or decoder.busy:
        if waiting and (rng.random() < 0.5 or not decoder.busy):
            waiting -= 1
            request, text = random_request(target, rng, drafters)
            wanted[decoder.add(request)] = text
        finished.update((result.ticket, result) for result in decoder.step())
    assert {ticket: result.ids for ticket, result in finished.items()} == wanted
    assert all(result.finish in (Finish.STOP, Finish.LENGTH) for result in finished.values())
    for result in finished.values():
        assert [committed.token for committed in result.trace] == result.ids
        assert all(committed.confidence is not None for committed in result.trace)
    assert all(handle.released for handle in target.handles)


def random_request(target: ToyTarget, rng: random.Random, drafters: list) -> tuple[Request, list[int]]:
    prompt, length = rng.randrange(10_000), rng.randrange(1, 70)
    penalty = rng.choice([1.0, 1.0, 1.3])
    prompt_ids = [rng.randrange(38) for _ in range(rng.randrange(10))]
    sampled = rng.random() < 0.3
    seed = rng.randrange(1000)
    text = plain(
        target,
        prompt,
        length,
        penalty=penalty,
        prompt_ids=prompt_ids,
        temperature=0.8 if sampled else None,
        seed=seed,
    )
    rule = Sampling(0.8, seed) if sampled else rng.choice([Exact(), Threshold(1.0)])
    request = Request(
        prompt,
        drafts_for(text, rng),
        max_tokens=length,
        acceptance=rule,
        drafter=rng.choice([None, *drafters]),
        repetition_penalty=penalty,
        prompt_ids=prompt_ids,
        loop_guard=None,
    )
    return request, text


QUICK = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICK
@given(
    seed=st.integers(0, 2**32), quality=st.sampled_from([0.0, 0.3, 0.8, 0.97, 1.0]), block=st.integers(1, 12)
)
def test_a_model_that_drafts_for_itself(seed: int, quality: float, block: int) -> None:
    decode_and_compare(ToyTarget(block_size=block, quality=quality), FREE + SELF, seed)


@QUICK
@given(seed=st.integers(0, 2**32))
def test_a_model_without_masks(seed: int) -> None:
    decode_and_compare(ToyTarget(block_size=None), FREE, seed)


@QUICK
@given(seed=st.integers(0, 2**32), quality=st.sampled_from([0.0, 0.7, 1.0]))
def test_a_model_with_mtp(seed: int, quality: float) -> None:
    decode_and_compare(ToyMtpTarget(quality=quality), [*FREE, Mtp(), Mtp(depth=1)], seed)


@pytest.mark.parametrize("length", range(1, 12))
@pytest.mark.parametrize("drafter", ["ar", "match", "self-spec", "prompt-lookup", "auto"])
def test_every_length(length: int, drafter: str) -> None:
    target = ToyTarget(quality=1.0, stop_bias=-100.0)
    text = plain(target, 5, 40)
    (result,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run(
        [Request(5, [text], max_tokens=length)]
    )
    assert (result.ids, result.finish) == (text[:length], Finish.LENGTH)


@pytest.mark.parametrize("drafter", ["ar", "match", "self-spec", "prompt-lookup", "auto"])
def test_every_stop_position(drafter: str) -> None:
    target = ToyTarget(quality=1.0, stop_bias=-100.0)
    text = plain(target, 5, 30)
    for position in range(30):
        target.stop_ids = frozenset({text[position]})
        first = text.index(text[position])
        (result,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run(
            [Request(5, [text], max_tokens=30)]
        )
        assert (result.ids, result.finish) == (text[:first], Finish.STOP)
        assert result.stats.tokens == first + 1
