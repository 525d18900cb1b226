"""The arithmetic of speed: ceilings with perfect drafts, worst cases with hostile ones, the counters."""

from __future__ import annotations

import numpy as np
import pytest
from toy_target import ToyMtpTarget, ToyTarget, plain

from galley.decoding import (
    Auto,
    Decoder,
    DraftMatching,
    DraftPool,
    ForwardCosts,
    Mtp,
    Request,
    ScoreDetail,
    SelfSpeculation,
    Threshold,
)

ENDLESS = -100.0
"""stop bias of a model that never stops"""


def decode(
    target: ToyTarget, drafter: object, length: int, drafts: list[list[int]] | None = None, prompt: int = 3
):
    (result,) = Decoder(target, drafter, costs=ForwardCosts.flat()).run(
        [Request(prompt, drafts or [], max_tokens=length, loop_guard=None, confidence=False)]
    )
    assert result.error is None
    return result


@pytest.mark.parametrize("block", [1, 4, 32])
def test_perfect_self_speculation_reaches_its_ceiling(block: int) -> None:
    rounds = 5
    result = decode(
        ToyTarget(block_size=block, quality=1.0, stop_bias=ENDLESS),
        "self-spec",
        1 + rounds * (block + 2),
    )
    stats = result.stats
    assert (stats.draft_forwards, stats.verify_forwards, stats.plain_forwards) == (rounds, rounds, 0)
    assert stats.tpf == (block + 2) / 2
    assert stats.mean_accepted == block
    assert stats.aal == block + 1


def test_hopeless_self_speculation_gives_two_tokens_for_two_forwards() -> None:
    result = decode(ToyTarget(quality=0.0, vocab=2000, stop_bias=ENDLESS), "self-spec", 41)
    assert result.stats.tpf == 1.0
    assert result.stats.draft_forwards == 20
    assert result.stats.mean_accepted == 0.0


def test_a_smaller_block_than_trained() -> None:
    target = ToyTarget(block_size=16, quality=1.0, stop_bias=ENDLESS)
    assert decode(target, SelfSpeculation(block_size=4), 1 + 4 * 6).stats.tpf == 3.0
    assert max(len(window) for windows in target.windows for window in windows) == 5


def test_multi_step_drafts_commit_a_token_per_step() -> None:
    target = ToyTarget(block_size=8, quality=1.0, stop_bias=ENDLESS)
    one_shot = decode(target, SelfSpeculation(tau_d=0.01), 1 + 10)
    assert (one_shot.stats.draft_forwards, one_shot.stats.verify_forwards) == (1, 1)
    slow = decode(target, SelfSpeculation(tau_d=0.999999), 1 + 32)
    assert slow.ids[:11] == one_shot.ids
    assert slow.stats.draft_forwards > slow.stats.verify_forwards > 0
    verifying = [len(window) - 1 for (window,) in target.windows[2:] if window.causal and len(window) > 1]
    assert slow.stats.accepted == verifying  # a perfect drafter's tokens stay right from step to step


def test_one_forward_for_the_remainder_of_a_perfect_draft() -> None:
    target = ToyTarget(block_size=None, stop_bias=ENDLESS)
    text = plain(target, 3, 500)
    stats = decode(target, "match", 500, [text]).stats
    assert (stats.verify_forwards, stats.plain_forwards) == (1, 0)
    assert stats.accepted == [498]
    assert stats.aal == stats.tpf == 499


@pytest.mark.parametrize("end", ["stop", "length"])
def test_accepted_tokens_behind_the_end_are_not_counted(end: str) -> None:
    """A draft that goes on behind the stop token is right there too, but nothing of that is committed."""
    target = ToyTarget(vocab=5000, block_size=None, stop_bias=ENDLESS)
    text = plain(target, 3, 40)
    if end == "stop":
        target.stop_ids = frozenset({text[10]})
    stats = decode(target, "match", 40 if end == "stop" else 11, [text]).stats
    assert stats.tokens == 11
    assert stats.accepted == [10 if end == "stop" else 9]
    assert stats.mean_accepted <= stats.tpf == 10


def test_hostile_drafts_cost_at_most_one_forward_per_token() -> None:
    target = ToyTarget(block_size=None, stop_bias=ENDLESS)
    text = plain(target, 3, 100)
    hostile = [(token + 1) % 38 for token in text]
    for drafter in ("match", "auto", "prompt-lookup"):
        stats = decode(target, drafter, 100, [hostile, hostile[::-1]]).stats
        assert stats.verify_forwards + stats.plain_forwards <= 99


def test_a_wrong_token_costs_one_forward() -> None:
    """The draft is taken up right behind a substituted, an inserted and a missing token."""
    target = ToyTarget(vocab=5000, block_size=None, stop_bias=ENDLESS)
    text = plain(target, 3, 60)
    draft = [*text[:20], 4990, *text[21:30], 4991, *text[30:45], *text[46:]]
    assert decode(target, "match", 60, [draft]).stats.verify_forwards == 4


def test_shuffled_pieces_are_found() -> None:
    """An unordered pool: the order is the model's, and beginnings are tried where a piece is used up."""
    target = ToyTarget(vocab=5000, block_size=None, stop_bias=ENDLESS)
    text = plain(target, 3, 100)
    pieces = [text[60:80], text[0:20], text[80:], text[40:60], text[20:40]]
    stats = decode(target, "match", 100, pieces).stats
    assert stats.plain_forwards == 0
    assert stats.verify_forwards <= 10


def test_mtp_accepts_its_depth() -> None:
    result = decode(ToyMtpTarget(quality=1.0, stop_bias=ENDLESS), Mtp(depth=3), 1 + 4 * 10)
    assert result.stats.verify_forwards == result.stats.batch_drafts == 10
    assert result.stats.tpf == 4.0


def test_each_forward_is_a_round_of_the_trace() -> None:
    result = decode(ToyTarget(stop_bias=ENDLESS), "ar", 12)
    assert [committed.round for committed in result.trace] == list(range(12))


@pytest.mark.parametrize("drafter", ["ar", "match", "self-spec", "mtp", "prompt-lookup"])
def test_forwards_are_timed_for_auto_alone(drafter: str) -> None:
    """Any other way of drafting runs no forward but those that it counts."""

    class Counting(ToyMtpTarget):
        calls = 0

        def forward(self, items, detail=ScoreDetail.ARGMAX):  # type: ignore[no-untyped-def]
            self.calls += 1
            return super().forward(items, detail)

    target = Counting(stop_bias=ENDLESS)
    target.block_size, target.mask_id = 4, target.vocab_size - 1
    (result,) = Decoder(target, drafter).run([Request(3, max_tokens=20, loop_guard=None)])
    assert len(result.ids) == 20
    stats = result.stats
    assert target.calls == stats.plain_forwards + stats.draft_forwards + stats.verify_forwards


def test_auto_asks_a_head_where_nothing_else_drafts() -> None:
    target = ToyMtpTarget(quality=1.0, stop_bias=ENDLESS)
    result = decode(target, Auto(drafters=(DraftMatching(), Mtp(depth=3))), 1 + 4 * 10)
    assert result.stats.batch_drafts == 10
    assert result.stats.tpf == 4.0


def test_plain_decoding_needs_a_forward_per_token() -> None:
    stats = decode(ToyTarget(stop_bias=ENDLESS), "ar", 50).stats
    assert (stats.plain_forwards, stats.tpf, stats.aal) == (49, 1.0, 1.0)
    assert stats.slots == 49


def test_only_what_is_needed_is_asked_for() -> None:
    target = ToyTarget(stop_bias=ENDLESS)
    decode(target, "self-spec", 20)
    assert set(target.details) == {ScoreDetail.ARGMAX}
    text = plain(target, 3, 20)
    Decoder(target, "match").run([Request(3, [text], max_tokens=20, acceptance=Threshold(0.5))])
    assert target.details[-1] is ScoreDetail.DRAFTED


def test_auto_verifies_and_drafts_in_one_forward() -> None:
    """With flat costs a block rides along with every tree, so a good drafter needs hardly any forward of
    its own."""
    target = ToyTarget(block_size=8, quality=1.0, stop_bias=ENDLESS)
    stats = decode(target, "auto", 200).stats
    assert stats.draft_forwards <= 2
    assert stats.tpf > (8 + 2) / 2


def test_auto_uses_both_kinds_of_draft() -> None:
    target = ToyTarget(block_size=8, quality=1.0, stop_bias=ENDLESS)
    text = plain(target, 3, 120)
    result = decode(target, "auto", 120, [text[:40] + text[80:]])
    kinds = {committed.source.kind for committed in result.trace}
    assert {"match", "self-spec", "model"} <= kinds


def test_auto_stops_drafting_where_slots_are_dear_and_drafts_bad() -> None:
    """A CPU whose forwards cost what they hold: windows shrink to almost plain decoding."""
    target = ToyTarget(vocab=2000, block_size=16, quality=0.0, stop_bias=ENDLESS)
    costs = ForwardCosts([1, 100], [1.0, 100.0])
    (result,) = Decoder(target, Auto(), costs=costs).run([Request(3, max_tokens=200, loop_guard=None)])
    assert result.stats.slots < 1.5 * 199


def test_auto_never_loses_much_to_any_other_drafter() -> None:
    """In modelled time, over cheap and dear slots, good and bad drafts."""
    for costs in (
        ForwardCosts([1, 64, 256], [1, 1.05, 1.3]),
        ForwardCosts([1, 256], [1, 8.5]),
        ForwardCosts([1, 256], [1, 64.0]),
    ):
        for quality in (0.3, 0.95):
            for errors in (0.0, 0.15, 1.0):
                spent = {
                    p: modelled_seconds(p, costs, quality, errors)
                    for p in ("ar", "match", "self-spec", "auto")
                }
                others = min(seconds for name, seconds in spent.items() if name != "auto")
                # learning costs a little, most where one forward would do
                assert spent["auto"] < 1.5 * others + 5 * float(costs.share(1)), (
                    costs.seconds,
                    quality,
                    errors,
                    spent,
                )


def modelled_seconds(drafter: str, costs: ForwardCosts, quality: float, errors: float) -> float:
    target = ToyTarget(vocab=500, block_size=16, quality=quality, stop_bias=ENDLESS)
    requests = []
    for prompt in range(2):
        text = plain(target, prompt, 100)
        dice = np.random.default_rng(prompt)
        draft = [499 - 2 if dice.random() < errors else token for token in text]
        requests.append(Request(prompt, [draft], max_tokens=100, loop_guard=None))
    Decoder(target, drafter, costs=costs, max_batch=1).run(requests)
    return sum(float(costs.share(len(windows[0]))) for windows in target.windows)


def test_pool_settings_are_shared_not_copied() -> None:
    """A pool given as such is the caller's own, so that what is added later is seen."""
    target = ToyTarget(block_size=None, stop_bias=ENDLESS)
    text = plain(target, 3, 60)
    pool = DraftPool()
    decoder = Decoder(target, DraftMatching())
    decoder.add(Request(3, pool, max_tokens=60, loop_guard=None))
    for _ in range(5):
        decoder.step()
    draft = pool.add(text[:30])
    results = decoder.step()
    pool.extend(draft, text[30:])
    while decoder.busy:
        results = decoder.step()
    assert results[0].ids == text
    assert results[0].stats.verify_forwards <= 3


def test_auto_drafts_itself_where_free_drafts_are_there_but_wrong() -> None:
    """A draft of the text's own tokens in another order matches everywhere and is right nowhere."""
    target = ToyTarget(vocab=60, block_size=16, quality=0.95, stop_bias=ENDLESS)
    text = plain(target, 3, 200)
    shuffled = np.random.default_rng(0).permutation(text).tolist()
    costs = ForwardCosts([1, 64, 256], [1, 2, 5])
    request = Request(3, [shuffled], max_tokens=200, loop_guard=None)
    (result,) = Decoder(target, Auto(), costs=costs).run([request])
    (alone,) = Decoder(target, "self-spec", costs=costs).run([Request(3, max_tokens=200, loop_guard=None)])
    assert result.stats.tpf > alone.stats.tpf
