"""ForwardCosts, rates and pace."""

from __future__ import annotations

import numpy as np
import pytest
from toy_target import ToyTarget

from galley.decoding import ForwardCosts, ScoreDetail, Scores
from galley.decoding.budget import AcceptanceRate, Throughput


def test_costs_are_interpolated_and_extrapolated() -> None:
    costs = ForwardCosts([4, 1, 10], [2.0, 1.0, 5.0])
    assert costs.share(np.array([1, 4, 7, 10, 12])).tolist() == [1.0, 2.0, 3.5, 5.0, 6.0]
    assert float(ForwardCosts.flat(3.0).share(500)) == 3.0


def test_costs_never_fall_with_width() -> None:
    assert ForwardCosts([1, 2, 3], [2.0, 1.0, 4.0]).share(np.array([1, 2, 3])).tolist() == [2.0, 2.0, 4.0]


def test_a_batch_shares_the_cost() -> None:
    costs = ForwardCosts([1, 100], [1.0, 2.0])
    assert float(costs.share(10, batch=10)) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("widths", "seconds"), [([], []), ([1, 2], [1.0]), ([1], [0.0]), ([1, 2], [0.0, 1.0])]
)
def test_senseless_tables_are_refused(widths: list[int], seconds: list[float]) -> None:
    with pytest.raises(ValueError, match="cost table"):
        ForwardCosts(widths, seconds)


def test_a_rate_moves_from_its_prior_to_what_is_seen() -> None:
    rate = AcceptanceRate(0.9)
    assert rate.value == pytest.approx(0.9)
    rate.see(0, 8)
    assert rate.value == pytest.approx(0.45, abs=0.01)
    for _ in range(200):
        rate.see(9, 1)
    assert rate.value == pytest.approx(0.9, abs=0.01)
    rate.see(0, 1)
    low = rate.value
    rate.forget(1e9)
    assert low < 0.9 == pytest.approx(rate.value)


def test_a_child_starts_at_its_parent_and_teaches_it() -> None:
    parent = AcceptanceRate(0.5)
    child = parent.child()
    child.see(100, 0)
    assert child.value > parent.value > 0.9
    other = parent.child()
    assert other.value == pytest.approx(parent.value)


def test_what_is_forgotten_fades_by_as_many_trials() -> None:
    parent = AcceptanceRate(0.5, weight=8, memory=100)
    child = parent.child()
    child.see(0, 8)
    for rate in (child, parent):
        assert rate._trials == pytest.approx(8 * 100 / 108)
    child.forget(50)
    for rate in (child, parent):
        assert rate._trials == pytest.approx(8 * 100 / 108 * 100 / 150)
    assert parent.value == pytest.approx(0.5 * 8 / (8 + 8 * 100 / 108 * 100 / 150))


def test_pace_starts_at_plain_decoding() -> None:
    pace = Throughput(ForwardCosts([1, 2], [0.5, 0.6]))
    assert pace.tokens_per_second == pytest.approx(2.0)
    for _ in range(100):
        pace.see(10, 0.5)
    assert pace.tokens_per_second == pytest.approx(20.0, rel=0.02)


def test_costs_go_by_the_targets_clock_and_take_the_least_time() -> None:
    """One forward of each width is disturbed; what counts is a quiet one, by the clock the target names."""

    class Busy(ToyTarget):
        now = 100.0

        def clock(self) -> float:
            return self.now

        def forward(self, items, detail: ScoreDetail = ScoreDetail.ARGMAX) -> list[Scores]:  # type: ignore[no-untyped-def]
            width = len(items[0][1])
            disturbed = len(self.windows) % 6 == 1
            self.now += 1e-3 * width + 5e-3 * disturbed
            return super().forward(items, detail)

    target = Busy()
    ((handle, _),) = target.prefill([1])
    measured = ForwardCosts.measure(target, handle, 5, budget=5)
    np.testing.assert_allclose(measured.seconds, 1e-3 * measured.widths)
    assert measured.widths.tolist() == [1, 4, 16, 64, 256]


class Timed(ToyTarget):
    """A forward takes as many seconds of its clock as its window has slots; one width is refused."""

    now = 100.0

    def __init__(self, refused: int = 0) -> None:
        super().__init__()
        self.refused = refused

    def clock(self) -> float:
        return self.now

    def forward(self, items, detail: ScoreDetail = ScoreDetail.ARGMAX) -> list[Scores]:  # type: ignore[no-untyped-def]
        if len(items[0][1]) == self.refused:
            raise RuntimeError("too wide")
        self.now += len(items[0][1])
        return super().forward(items, detail)


def test_measuring_ends_with_the_budget_but_not_before_two_widths_are_known() -> None:
    for budget, widths in ((1.0, [1, 4]), (9.0, [1, 4]), (11.0, [1, 4, 16]), (1e4, [1, 4, 16, 64, 256])):
        target = Timed()
        ((handle, _),) = target.prefill([1])
        measured = ForwardCosts.measure(target, handle, 5, budget=budget)
        assert measured.widths.tolist() == measured.seconds.tolist() == widths


def test_measuring_ends_at_the_first_width_that_is_refused() -> None:
    target = Timed(refused=16)
    ((handle, _),) = target.prefill([1])
    assert ForwardCosts.measure(target, handle, 5, budget=1e4).widths.tolist() == [1, 4]
    target.refused = 1
    with pytest.raises(RuntimeError, match="too wide"):
        ForwardCosts.measure(target, handle, 5)


def test_a_width_is_timed_five_times_at_most_and_once_at_least() -> None:
    for budget, calls in ((0.0, 1), (10.0, 1), (30.0, 3), (1e6, 5)):
        target = Timed()
        ((handle, _),) = target.prefill([1])
        ForwardCosts.measure(target, handle, 5, budget=budget)
        timed = [len(windows[0]) for windows in target.windows].count(
            1
        ) - 1  # after the first, which may compile
        assert timed == calls, budget
