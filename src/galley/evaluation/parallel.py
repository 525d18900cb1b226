"""A process pool in which no item can hang the run: each has a time limit.

A process that is past the limit is replaced.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import multiprocessing.connection
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Outcome(Generic[Value]):
    """A value, or the problem in words that prevented it."""

    value: Value | None = None
    problem: str | None = None


def map_limited(
    function: Callable[[Item], Value],
    items: Sequence[Item],
    *,
    workers: int,
    seconds: float,
    progress: Callable[[int, int], None] | None = None,
) -> list[Outcome[Value]]:
    """``function`` of each item, in order, on ``workers`` processes, at most ``seconds`` for each.

    ``function`` must be importable by name and raise only on a problem worth reporting: an exception, a
    killed process and an item over its time become the ``problem`` of that item's outcome. ``progress`` gets
    (done, all). Time runs from when an item is taken up; starting a process is not held against it.
    """
    outcomes: list[Outcome[Value]] = [Outcome(problem="not run")] * len(items)
    todo = list(enumerate(items))[::-1]
    pool = [_Worker(function) for _ in range(min(workers, len(items)))]
    done = 0
    try:
        while done < len(items):
            for worker in pool:
                if worker.index is None and todo:
                    worker.give(*todo.pop())
            for worker in _ready(pool):
                if worker.begins(seconds):
                    continue
                index, outcome = worker.collect(seconds)
                outcomes[index] = outcome
                done += 1
                if progress:
                    progress(done, len(items))
    finally:
        for worker in pool:
            worker.stop()
    return outcomes


class _Worker:
    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function
        self._context = multiprocessing.get_context("spawn")
        self.index: int | None = None
        self.deadline = math.inf
        self._begun = False
        self._start()

    def _start(self) -> None:
        self.connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(self._function, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def give(self, index: int, item: Any) -> None:
        """The item waits in the pipe while the process starts."""
        self.index, self.deadline = index, math.inf
        self._begun = False
        with contextlib.suppress(OSError):  # a process that is gone is noticed when its answer is collected
            self.connection.send(item)

    def begins(self, seconds: float) -> bool:
        """Whether the process says no more than that it took the item up, from when its time runs."""
        if self._begun or not self.connection.poll():
            return False
        try:
            self.connection.recv()
        except (EOFError, OSError):
            return False
        self._begun, self.deadline = True, time.monotonic() + seconds
        return True

    def collect(self, seconds: float) -> tuple[int, Outcome[Any]]:
        """The outcome of the current item; a process that is over time or gone is replaced."""
        assert self.index is not None
        index, self.index = self.index, None
        try:
            if self.connection.poll():
                return index, self.connection.recv()
            problem = f"took more than {seconds:g} s"
        except (EOFError, OSError):
            self._process.join()
            problem = f"its process ended with code {self._process.exitcode}"
        self.stop()
        self._start()
        return index, Outcome(problem=problem)

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()


def _ready(pool: list[_Worker]) -> list[_Worker]:
    """Workers with an answer, gone, or over time; waits until there is one."""
    busy = [worker for worker in pool if worker.index is not None]
    first = min(worker.deadline for worker in busy)
    wait = None if first == math.inf else max(0.0, first - time.monotonic())
    answered = multiprocessing.connection.wait([worker.connection for worker in busy], timeout=wait)
    now = time.monotonic()
    return [worker for worker in busy if worker.connection in answered or worker.deadline <= now]


def _serve(function: Callable[[Any], Any], connection: Connection) -> None:
    while True:
        try:
            item = connection.recv()
        except (EOFError, OSError):
            return
        connection.send(None)
        try:
            outcome: Outcome[Any] = Outcome(value=function(item))
        except Exception as error:
            outcome = Outcome(problem=f"{type(error).__name__}: {error}")
        connection.send(outcome)
