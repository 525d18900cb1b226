"""What forwards cost and what drafts gain: the three estimates that steer window sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from galley.decoding.target import Handle, Target
from galley.decoding.window import Window


class ForwardCosts:
    """Seconds of a forward by its total number of slots, interpolated between measured widths.

    Beyond the last width the line through the last two is continued. Costs never fall with width.
    """

    def __init__(self, widths: Sequence[int], seconds: Sequence[float]) -> None:
        if len(widths) == 0 or len(widths) != len(seconds) or min(seconds) <= 0:
            raise ValueError("a cost table needs as many positive seconds as widths, at least one")
        order = np.argsort(widths)
        self.widths = np.asarray(widths, dtype=np.float64)[order]
        self.seconds = np.maximum.accumulate(np.asarray(seconds, dtype=np.float64)[order])

    @classmethod
    def flat(cls, seconds: float = 1.0) -> ForwardCosts:
        """Costs that do not depend on width, as on a GPU that is far from full.

        Args:
            seconds: of every forward.
        """
        return cls([1], [seconds])

    @classmethod
    def measure(cls, target: Target, handle: Handle, token: int, budget: float = 0.5) -> ForwardCosts:
        """Time dummy windows on a prefilled sequence; nothing is committed.

        Widths grow fourfold to 256. They stop when the budget is spent or the target refuses one; a slow target
        is then extrapolated. Of a few times by the target's clock the least counts: other programs only add to
        them, and one slow sample would rule a width out for good.

        Args:
            target: the model.
            handle: a prefilled sequence.
            token: id that fills the windows.
            budget: seconds to spend.
        """
        clock = getattr(target, "clock", time.perf_counter)
        widths: list[int] = []
        seconds: list[float] = []
        begin = clock()
        for width in (1, 4, 16, 64, 256):
            window = Window.chain([token] * width)
            try:
                target.forward([(handle, window)])  # the first call of a shape may compile or allocate
                least = _least_time(partial(target.forward, [(handle, window)]), clock, budget / 10)
            except Exception:
                if not widths:
                    raise
                break
            widths.append(width)
            seconds.append(max(least, 1e-9))
            if clock() - begin > budget and len(widths) > 1:
                break
        return cls(widths, seconds)

    def share(self, slots: NDArray[np.int64] | int, batch: int = 1) -> NDArray[np.float64]:
        """Seconds that one of ``batch`` sequences pays for a window of ``slots``.

        All windows of the batch are taken to be about alike.
        """
        total = np.asarray(slots, dtype=np.float64) * batch
        inside = np.interp(total, self.widths, self.seconds)
        if len(self.widths) > 1:
            slope = np.diff(self.seconds[-2:])[0] / np.diff(self.widths[-2:])[0]
            inside = inside + slope * np.maximum(total - self.widths[-1], 0.0)
        return inside / batch


def _least_time(
    call: Callable[[], object], clock: Callable[[], float], budget: float, most: int = 5
) -> float:
    """Seconds of the fastest of up to ``most`` calls; no more are made once ``budget`` seconds are spent."""
    times: list[float] = []
    while not times or (len(times) < most and sum(times) < budget):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


class AcceptanceRate:
    """The share of drafted tokens that the model accepted recently.

    The last ``memory`` trials count. ``prior`` counts as ``weight`` trials. A parent rate can replace the prior;
    it learns from the same trials.
    """

    def __init__(self, prior: float | AcceptanceRate, weight: float = 8.0, memory: float = 256.0) -> None:
        self._prior = prior
        self._weight = weight
        self._memory = memory
        self._hits = 0.0
        self._trials = 0.0

    @property
    def value(self) -> float:
        """The rate, 0 to 1."""
        prior = self._prior.value if isinstance(self._prior, AcceptanceRate) else self._prior
        return (prior * self._weight + self._hits) / (self._weight + self._trials)

    def child(self) -> AcceptanceRate:
        """A rate of its own that starts where this one stands."""
        return AcceptanceRate(self, self._weight, self._memory)

    def see(self, hits: int, misses: int) -> None:
        """Count accepted (``hits``) and rejected (``misses``) tokens."""
        fade = self._memory / (self._memory + hits + misses)
        self._hits = (self._hits + hits) * fade
        self._trials = (self._trials + hits + misses) * fade
        if isinstance(self._prior, AcceptanceRate):
            self._prior.see(hits, misses)

    def forget(self, trials: float) -> None:
        """Let evidence fade, so that what was given up is tried again some time."""
        fade = self._memory / (self._memory + trials)
        self._hits *= fade
        self._trials *= fade
        if isinstance(self._prior, AcceptanceRate):
            self._prior.forget(trials)


class Throughput:
    """Tokens committed per second of forward cost, recently: what a second is worth.

    It starts at plain autoregressive decoding, the least that a second gives.
    """

    def __init__(self, costs: ForwardCosts, memory: float = 256.0) -> None:
        self._tokens = 8.0
        self._seconds = 8.0 * float(costs.share(1))
        self._memory = memory

    @property
    def tokens_per_second(self) -> float:
        """The estimate."""
        return self._tokens / self._seconds

    def see(self, tokens: int, seconds: float) -> None:
        """Count committed tokens and the seconds of their forwards."""
        fade = self._memory / (self._memory + tokens)
        self._tokens = (self._tokens + tokens) * fade
        self._seconds = (self._seconds + seconds) * fade
