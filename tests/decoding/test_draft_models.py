"""Drafts that take a forward of something else: a smaller model, heads on the target's states."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_exact import FREE, QUICK, decode_and_compare
from toy_medusa import Medusa, ToyHiddenTarget
from toy_target import ToyTarget, plain

from galley.decoding import Auto, Decoder, DraftMatching, DraftModel, Finish, ForwardCosts, Request, Window


class SmallerToy(ToyTarget):
    """A toy that writes like the one of the same prompts, but for tokens that are multiples of ``wrong``."""

    def __init__(self, wrong: int = 7, stop_bias: float = -100.0) -> None:
        super().__init__(40, None, stop_bias=stop_bias)
        self._wrong = wrong

    def logits(self, prompt: int, context: Any) -> Any:
        row = super().logits(prompt, context)
        best = int(row.argmax())
        if best % self._wrong:
            return row
        other = row.copy()
        other[(best + 1) % (self.vocab_size - 1)] = row[best] + 1
        return other


def check_cache(small: ToyTarget, texts: dict[int, list[int]]) -> None:
    """What the smaller model has cached is a beginning of the text, and all is given back."""
    assert small.handles and all(handle.released for handle in small.handles)
    for handle in small.handles:
        assert handle.cached == texts[handle.prompt][: len(handle.cached)]


@QUICK
@given(seed=st.integers(0, 2**32), wrong=st.sampled_from([1, 3, 7, 1000]), depth=st.integers(1, 9))
def test_a_smaller_model_changes_no_token(seed: int, wrong: int, depth: int) -> None:
    small = SmallerToy(wrong, stop_bias=1.0)
    drafter = DraftModel(small, depth)
    target = ToyTarget(block_size=None)
    decode_and_compare(target, [*FREE, drafter, Auto(drafters=(DraftMatching(), drafter))], seed)
    assert all(handle.released for handle in small.handles)


@pytest.mark.parametrize("batch", [1, 3])
def test_its_cache_follows_what_is_committed(batch: int) -> None:
    small, target = SmallerToy(), ToyTarget(block_size=None, stop_bias=-100.0)
    texts = {prompt: plain(target, prompt, 60) for prompt in (1, 2, 3)}
    decoder = Decoder(target, DraftModel(small, 5), max_batch=batch)
    results = decoder.run([Request(prompt, max_tokens=60, loop_guard=None) for prompt in texts])
    assert [result.ids for result in results] == list(texts.values())
    check_cache(small, texts)
    assert all(result.stats.tpf > 2 and result.stats.batch_drafts > 3 for result in results)
    # Nothing was read twice: all that was accepted stayed in the cache.
    assert all(len(handle.cached) > 40 for handle in small.handles)


def test_a_draft_that_is_right_needs_a_fraction_of_the_forwards() -> None:
    small, target = SmallerToy(1000), ToyTarget(block_size=None, stop_bias=-100.0)
    (result,) = Decoder(target, DraftModel(small, 9)).run([Request(4, max_tokens=101, loop_guard=None)])
    assert result.stats.verify_forwards == 10 and result.stats.aal == 10


def test_sequences_that_end_early_give_their_places_back() -> None:
    small, target = SmallerToy(), ToyTarget(block_size=None, stop_bias=-100.0)
    decoder = Decoder(target, DraftModel(small), max_batch=2)
    tickets = [decoder.add(Request(prompt, max_tokens=500, loop_guard=None)) for prompt in (1, 2)]
    for _ in range(3):
        decoder.step()
    decoder.cancel(tickets[0])
    decoder.step()
    assert [handle.released for handle in small.handles] == [True, False]
    decoder.close()
    assert all(handle.released for handle in small.handles + target.handles)


def test_a_draft_model_that_fails_ends_its_own_sequence_only() -> None:
    class Failing(SmallerToy):
        def forward(self, items: Any, detail: Any = None) -> Any:
            if any(handle.prompt == 2 and len(handle.cached) > 5 for handle, _ in items):
                raise RuntimeError("no memory left")
            return super().forward(items)

    small, target = Failing(), ToyTarget(block_size=None, stop_bias=-100.0)
    requests = [Request(prompt, max_tokens=40, loop_guard=None) for prompt in (1, 2, 3)]
    results = Decoder(target, DraftModel(small)).run(requests)
    assert [result.finish for result in results] == [Finish.LENGTH, Finish.ERROR, Finish.LENGTH]
    assert results[0].ids == plain(target, 1, 40) and results[2].ids == plain(target, 3, 40)
    assert results[1].ids == plain(target, 2, len(results[1].ids))
    check_cache(small, {prompt: plain(target, prompt, 60) for prompt in (1, 2, 3)})


@pytest.mark.parametrize(("ours", "theirs"), [(40, 60), (60, 40)])
def test_vocabularies_of_two_sizes(ours: int, theirs: int) -> None:
    small, target = ToyTarget(theirs, None), ToyTarget(ours, None, stop_bias=-100.0)
    for prompt in range(8):
        (result,) = Decoder(target, DraftModel(small)).run([Request(prompt, max_tokens=40, loop_guard=None)])
        assert result.ids == plain(target, prompt, 40)
    assert all(0 <= token < ours for windows in target.windows for w in windows for token in w.tokens)
    assert all(0 <= token < theirs for windows in small.windows for w in windows for token in w.tokens)


def test_a_model_does_not_draft_for_itself() -> None:
    target = ToyTarget(block_size=None)
    (result,) = Decoder(target, DraftModel(target)).run([Request(1)])
    assert result.finish is Finish.ERROR and "its own draft model" in str(result.error)
    with pytest.raises(ValueError, match="depth"):
        DraftModel(target, 0)


@QUICK
@given(seed=st.integers(0, 2**32), heads=st.integers(1, 6), wrong=st.sampled_from([1, 2, 5, 1000]))
def test_heads_on_the_last_state_change_no_token(seed: int, heads: int, wrong: int) -> None:
    medusa = Medusa(heads, wrong)
    decode_and_compare(ToyHiddenTarget(), [*FREE, medusa, Auto(drafters=(DraftMatching(), medusa))], seed)


def test_heads_draft_from_the_state_before_the_boundary() -> None:
    target = ToyHiddenTarget(stop_bias=-100.0)
    (result,) = Decoder(target, Medusa(4, 1000)).run([Request(9, max_tokens=51, loop_guard=None)])
    assert result.ids == plain(target, 9, 51) and result.stats.aal == 5
    assert {committed.source.kind for committed in result.trace} == {"model", "medusa"}


def test_states_are_shown_once() -> None:
    target = ToyHiddenTarget()
    ((handle, _),) = target.prefill([3])
    assert target.hidden(handle).shape == (1, 4) and target.hidden(handle).shape == (0,)
    target.forward([(handle, Window.chain([5, 6, 7]))])
    target.commit(handle, [0, 1])  # type: ignore[arg-type]
    assert target.hidden(handle)[:, 1].tolist() == [1, 2]


def test_a_target_without_states_has_no_heads() -> None:
    assert Medusa().unsupported(ToyTarget()) is not None
    rng = random.Random(0)
    decoder = Decoder(ToyTarget(), Auto(drafters=(Medusa(),)), costs=ForwardCosts.flat())
    (result,) = decoder.run([Request(rng.randrange(99), max_tokens=20)])
    assert result.error is None
