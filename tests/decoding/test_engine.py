"""The decoder as an engine: batches, joining, cancelling, failing, streaming, growing pools."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from toy_target import ToyHandle, ToyTarget, plain

from galley.decoding import (
    Decoder,
    DraftMatching,
    DraftPool,
    Finish,
    ForwardCosts,
    Mtp,
    Request,
    ScoreDetail,
    Scores,
    SelfSpeculation,
    Window,
)

ENDLESS = -100.0


def request(prompt: int, length: int = 30, **more: object) -> Request:
    return Request(prompt, max_tokens=length, loop_guard=None, **more)


def test_results_come_in_the_order_of_requests() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    lengths = [40, 3, 25, 1, 12]
    results = Decoder(target, max_batch=2).run(request(p, n) for p, n in enumerate(lengths))
    assert [result.ids for result in results] == [plain(target, p, n) for p, n in enumerate(lengths)]


def test_requests_that_fail_to_come_leave_the_decoder_free() -> None:
    decoder = Decoder(ToyTarget(stop_bias=ENDLESS))

    def two_and_no_more() -> Iterator[Request]:
        yield request(1)
        yield request(2)
        raise OSError("the third cannot be read")

    with pytest.raises(OSError, match="the third"):
        decoder.run(two_and_no_more())
    assert len(decoder.run([request(3)])) == 1


def test_concurrency_is_bounded_and_every_forward_carries_all() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    decoder = Decoder(target, SelfSpeculation(), max_batch=3)
    decoder.run(request(p, 20) for p in range(7))
    assert max(map(len, target.windows)) == 3
    assert decoder.forwards == len(target.windows)
    assert decoder.stats.tokens == 7 * 20
    assert decoder.stats.prefill_forwards == 7
    assert not decoder._alive and not decoder._cancelled


def test_a_request_joins_a_running_batch() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    decoder = Decoder(target, "ar", max_batch=4)
    first = decoder.add(request(1, 10))
    for _ in range(4):
        assert decoder.step() == []
    second = decoder.add(request(2, 4))
    finished = {}
    while decoder.busy:
        finished.update((result.ticket, result.ids) for result in decoder.step())
    assert finished == {first: plain(target, 1, 10), second: plain(target, 2, 4)}
    assert len(target.windows) == 9


def test_cancelling_keeps_what_was_written_and_frees_the_rest() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    decoder = Decoder(target, "ar", max_batch=1)
    running, waiting = decoder.add(request(1)), decoder.add(request(2))
    for _ in range(5):
        decoder.step()
    decoder.cancel(running)
    decoder.cancel(waiting)
    decoder.cancel(999)
    results = decoder.step()
    assert [(r.ticket, r.finish) for r in results] == [
        (running, Finish.CANCELLED),
        (waiting, Finish.CANCELLED),
    ]
    assert results[0].ids == plain(target, 1, 6)
    assert not decoder.busy
    assert all(handle.released for handle in target.handles)


def test_close_returns_everything_unfinished() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    decoder = Decoder(target, max_batch=2)
    tickets = [decoder.add(request(p)) for p in range(5)]
    decoder.step()
    results = decoder.close()
    assert sorted(result.ticket for result in results) == tickets
    assert {result.finish for result in results} == {Finish.CANCELLED}
    assert not decoder.busy and all(handle.released for handle in target.handles)


class Failing(ToyTarget):
    """Refuses one prompt: at its prefill, or in the forward at some length, or in its commit."""

    def __init__(self, where: str, bad: int = 2) -> None:
        super().__init__(stop_bias=ENDLESS)
        self.where = where
        self.bad = bad

    def prefill(self, prompts, detail: ScoreDetail = ScoreDetail.ARGMAX):  # type: ignore[no-untyped-def]
        if self.where == "prefill" and self.bad in prompts:
            raise RuntimeError("out of memory")
        return super().prefill(prompts, detail)

    def forward(self, items, detail: ScoreDetail = ScoreDetail.ARGMAX) -> list[Scores]:  # type: ignore[no-untyped-def]
        if self.where == "forward" and any(h.prompt == self.bad and len(h.cached) > 4 for h, _ in items):
            raise RuntimeError("out of memory")
        return super().forward(items, detail)

    def commit(self, handle: ToyHandle, slots: np.ndarray) -> None:
        if self.where == "commit" and handle.prompt == self.bad:
            raise RuntimeError("out of memory")
        super().commit(handle, slots)


@pytest.mark.parametrize("where", ["prefill", "forward", "commit"])
@pytest.mark.parametrize("drafter", ["ar", "self-spec", "auto"])
def test_one_failing_sequence_spares_the_others(where: str, drafter: str) -> None:
    target = Failing(where)
    decoder = Decoder(target, drafter, max_batch=4, costs=ForwardCosts.flat())
    results = decoder.run(request(p) for p in range(5))
    for prompt, result in enumerate(results):
        text = plain(target, prompt, 30)
        if prompt == target.bad:
            assert result.finish is Finish.ERROR
            assert str(result.error) == "out of memory"
            assert result.ids == text[: len(result.ids)]
        else:
            assert (result.finish, result.ids) == (Finish.LENGTH, text)
    assert all(handle.released for handle in target.handles)


def test_what_was_written_before_an_error_is_kept() -> None:
    (result,) = Decoder(Failing("forward"), "ar").run([request(2)])
    assert len(result.ids) == 6


def test_an_interrupt_frees_everything_and_is_passed_on() -> None:
    class Interrupted(ToyTarget):
        def forward(self, items, detail: ScoreDetail = ScoreDetail.ARGMAX) -> list[Scores]:  # type: ignore[no-untyped-def]
            if len(self.windows) == 3:
                raise KeyboardInterrupt
            return super().forward(items, detail)

    target = Interrupted(stop_bias=ENDLESS)
    decoder = Decoder(target, "ar")
    with pytest.raises(KeyboardInterrupt):
        decoder.run([request(1), request(2)])
    assert not decoder.busy and all(handle.released for handle in target.handles)


def test_a_drafter_the_model_cannot_serve_is_an_error_of_its_request() -> None:
    target = ToyTarget(block_size=None)
    results = Decoder(target, "ar").run(
        [request(1, drafter=SelfSpeculation()), request(1, drafter=Mtp()), request(1)]
    )
    assert [result.finish is Finish.ERROR for result in results] == [True, True, False]
    assert "no mask token" in str(results[0].error)


def test_bad_settings_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no way of drafting called 'magic'"):
        Decoder(ToyTarget(), "magic")
    with pytest.raises(ValueError, match="max_batch"):
        Decoder(ToyTarget(), max_batch=0)
    for length in (0, 1.5, math.nan):
        with pytest.raises(ValueError, match="max_tokens"):
            Request(1, max_tokens=length)  # type: ignore[arg-type]
    for size in (0, 100_000):
        with pytest.raises(ValueError, match="block_size"):
            SelfSpeculation(block_size=size)
    with pytest.raises(ValueError, match="tau_d"):
        SelfSpeculation(tau_d=0.0)
    for strength in (0.0, math.nan, math.inf):
        with pytest.raises(ValueError, match="repetition_penalty"):
            Request(1, repetition_penalty=strength)


@pytest.mark.parametrize("drafter", ["match", "auto"])
def test_drafts_of_another_vocabulary_do_no_harm(drafter: str) -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    text = plain(target, 1, 30)
    drafts = [[*text[:9], 10**7, *text[9:], -1], [-5, 10**9], [target.vocab_size]]
    (result,) = Decoder(target, drafter).run([request(1, drafts=drafts)])
    assert result.ids == text
    assert sum(result.stats.accepted) > 20


@pytest.mark.parametrize("drafter", ["prompt-lookup", "auto"])
def test_prompt_ids_without_a_token_do_no_harm(drafter: str) -> None:
    """Placeholders of images are often -1 or beyond the vocabulary."""
    target = ToyTarget(stop_bias=ENDLESS)
    ids = [1, 2, 3, -1, 10**9]
    (result,) = Decoder(target, drafter).run([request(1, prompt_ids=ids)])
    assert result.ids == plain(target, 1, 30)


def test_a_block_is_no_longer_than_the_text_may_become() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    (result,) = Decoder(target, SelfSpeculation(block_size=500)).run([request(1, 12)])
    assert result.ids == plain(target, 1, 12)
    assert max(len(window) for windows in target.windows for window in windows) <= 12


def test_scores_that_are_not_numbers_end_the_sequence_with_an_error() -> None:
    class Broken(ToyTarget):
        def logits(self, prompt: int, context: Sequence[int]) -> np.ndarray:
            row = super().logits(prompt, context)
            return np.full_like(row, np.nan) if prompt == 2 and len(context) > 4 else row

    broken, sound = Decoder(Broken(stop_bias=ENDLESS), "ar").run([request(2), request(1)])
    assert broken.finish is Finish.ERROR and "not numbers" in str(broken.error)
    assert len(broken.ids) == 5
    assert sound.ids == plain(ToyTarget(stop_bias=ENDLESS), 1, 30)


def test_run_on_a_busy_decoder_would_lose_results() -> None:
    decoder = Decoder(ToyTarget())
    decoder.add(request(1))
    with pytest.raises(RuntimeError, match="busy"):
        decoder.run([request(2)])


def test_tokens_are_reported_as_they_are_committed() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    parts: list[list[int]] = []
    (result,) = Decoder(target, "self-spec").run([request(1, on_commit=parts.append)])
    assert [token for part in parts for token in part] == result.ids
    assert len(parts) > 2 and all(parts)


def test_a_failing_listener_ends_only_its_own_sequence() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    results = Decoder(target, "ar").run([request(1, on_commit=lambda ids: 1 / 0), request(2)])
    assert isinstance(results[0].error, ZeroDivisionError)
    assert results[1].ids == plain(target, 2, 30)


def test_a_page_matches_what_its_regions_are_still_writing() -> None:
    """HSD's overlapped stages: the page's pool grows with the regions decoded in the same batch."""
    target = ToyTarget(vocab=5000, block_size=None, stop_bias=ENDLESS)
    page_text = plain(target, 1, 120)
    pool = DraftPool()
    decoder = Decoder(target, DraftMatching(), max_batch=4)
    page = decoder.add(request(1, 120, drafts=pool))
    draft = pool.add()
    while decoder.busy:
        results = decoder.step()
        written = len(pool[draft])
        pool.extend(draft, page_text[written : written + 10])  # a region, ten tokens a round
    assert results[0].ticket == page
    assert results[0].ids == page_text
    assert results[0].stats.verify_forwards + results[0].stats.plain_forwards < 20


def test_requests_may_be_added_and_cancelled_from_other_threads() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    decoder = Decoder(target, "ar", max_batch=3)
    tickets: list[int] = []

    def client(start: int) -> None:
        for prompt in range(start, start + 10):
            ticket = decoder.add(request(prompt, 8))
            if prompt % 5 == 0:
                decoder.cancel(ticket)
            tickets.append(ticket)

    threads = [threading.Thread(target=client, args=(10 * n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    results = []
    while decoder.busy or any(thread.is_alive() for thread in threads):
        results += decoder.step()
    assert sorted(result.ticket for result in results) == sorted(tickets)
    assert {result.finish for result in results} <= {Finish.LENGTH, Finish.CANCELLED}


def test_wall_time_is_shared_out_by_phase() -> None:
    (result, _) = Decoder(ToyTarget(quality=0.9, stop_bias=ENDLESS), "self-spec").run(
        [request(1), request(2)]
    )
    seconds = result.stats.seconds
    assert min(seconds.prefill, seconds.draft, seconds.verify, seconds.draft_search) > 0
    assert seconds.total == pytest.approx(
        seconds.prefill + seconds.draft + seconds.verify + seconds.draft_search
    )


def test_the_trace_names_who_drafted_what() -> None:
    target = ToyTarget(vocab=5000, block_size=None, stop_bias=ENDLESS)
    text = plain(target, 1, 30)
    (result,) = Decoder(target, "match").run([request(1, 30, drafts=[[1, 2, 3], text[:15]])])
    kinds = [(committed.source.kind, committed.source.draft) for committed in result.trace]
    assert kinds[0] == ("model", None)
    assert kinds[1:15] == [("match", 1)] * 14
    assert kinds[15] == ("model", None)
    rounds = [committed.round for committed in result.trace]
    assert rounds == sorted(rounds) and rounds[1] == rounds[15]


def test_costs_are_measured_once_and_nothing_is_committed() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    decoder = Decoder(target, "auto")
    results = decoder.run([request(1), request(2)])
    assert decoder.costs.widths.tolist()[:2] == [1.0, 4.0]
    assert results[0].ids == plain(target, 1, 30)
    measured = decoder.costs
    decoder.run([request(3)])
    assert decoder.costs is measured


def test_measuring_stops_where_the_target_refuses() -> None:
    class Narrow(ToyTarget):
        def forward(self, items, detail: ScoreDetail = ScoreDetail.ARGMAX) -> list[Scores]:  # type: ignore[no-untyped-def]
            if any(len(window) > 20 for _, window in items):
                raise RuntimeError("too wide")
            return super().forward(items, detail)

    target = Narrow(stop_bias=ENDLESS)
    ((handle, _),) = target.prefill([1])
    assert ForwardCosts.measure(target, handle, 5).widths.tolist() == [1, 4, 16]
    assert handle.cached == []
    assert isinstance(target.windows[0][0], Window)
