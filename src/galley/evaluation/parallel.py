"""A function over many items in processes, with a time limit for each, so that no item can hang the run."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import Future, TimeoutError, as_completed
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pebble import ProcessExpired, ProcessPool

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
    """``function`` of each item, in order.

    Args:
        function: Importable by name. An exception, a killed process and an item over its time become the
            ``problem`` of that item's outcome.
        items: What it is called with.
        workers: Number of processes.
        seconds: The most for one item, from when a process takes it up.
        progress: Takes (done, all) after each item.
    """
    if not items:
        return []
    outcomes: list[Outcome[Value]] = [Outcome(problem="not run")] * len(items)
    pool = ProcessPool(min(workers, len(items)), context=multiprocessing.get_context("spawn"))
    try:
        waiting: dict[Future[Value], int] = {
            pool.schedule(function, args=[item], timeout=seconds): index for index, item in enumerate(items)
        }
        for done, future in enumerate(as_completed(waiting), start=1):
            outcomes[waiting[future]] = _outcome(future, seconds)
            if progress:
                progress(done, len(items))
    finally:
        pool.stop()
        pool.join()
    return outcomes


def _outcome(future: Future[Any], seconds: float) -> Outcome[Any]:
    try:
        return Outcome(value=future.result())
    except TimeoutError:
        return Outcome(problem=f"took more than {seconds:g} s")
    except ProcessExpired as error:
        return Outcome(problem=f"its process ended with code {error.exitcode}")
    except Exception as error:
        return Outcome(problem=f"{type(error).__name__}: {error}")
