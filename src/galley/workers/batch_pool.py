"""Workers that share the pages of many documents or of one large one, driven from a loop that waits for them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any, Generic

from galley.document import Failure
from galley.errors import GalleyError, InputError
from galley.workers.page_worker import PageResult, PageTask
from galley.workers.protocol import Aborted, AnyWorker, Backend, CannotStart, Order, Ready, WorkerDied

_MOST_DEATHS_IN_A_ROW = 3


@dataclass(eq=False)
class _Seat(Generic[AnyWorker]):
    """A worker, the task it has, and how many of the task's pages are done."""

    worker: AnyWorker
    ready: bool = False
    task: PageTask | None = None
    done: int = 0


class BatchPool(Generic[AnyWorker]):
    """Reads tasks with the workers of a backend; use it in a ``with`` statement.

    A worker gets its next task when it has finished one, so no more is under way than there are workers. The rest of
    a task whose worker died is taken by another one; a page that was begun ``backend.tries`` times is given up.
    """

    def __init__(self, backend: Backend[AnyWorker]) -> None:
        self._backend = backend
        self._seats: list[_Seat[AnyWorker]] = []
        self._again: deque[PageTask] = deque()
        self._deaths: Counter[tuple[int, int]] = Counter()  # by document and page
        self._deaths_in_a_row = 0
        self._exhausted = False
        self._stack = ExitStack()

    @property
    def count(self) -> int:
        """How many workers read at a time."""
        return self._backend.count

    def __enter__(self) -> BatchPool[AnyWorker]:
        self._stack.enter_context(self._backend)
        return self

    def __exit__(self, *error: Any) -> None:
        for seat in self._seats:
            seat.worker.kill()
        for seat in self._seats:
            seat.worker.close()
        self._seats.clear()
        self._stack.close()

    def run(self, tasks: Iterable[PageTask]) -> Iterator[PageResult]:
        """Results as they come; those of one task are in order. Raises what no page would escape."""
        waiting = iter(tasks)
        self._exhausted = False
        while True:
            yield from self._hand_out(waiting)
            if not self._again and not any(seat.task for seat in self._seats):
                if self._exhausted:
                    return
                continue
            expected = [seat.worker for seat in self._seats if seat.task or not seat.ready]
            heard = self._backend.wait(expected)
            for seat in [seat for seat in self._seats if seat.worker in heard]:
                yield from self._receive(seat)

    def _hand_out(self, waiting: Iterator[PageTask]) -> Iterator[PageResult]:
        """Tasks to workers that are ready, and a new worker for each task that is left, while there is room.

        Gives failures for pages of a document that is gone.
        """
        while len(self._again) < self.count - sum(seat.task is not None for seat in self._seats):
            task = next(waiting, None)
            if task is None:
                self._exhausted = True
                break
            self._again.append(task)
        for seat in self._seats:
            if self._again and seat.ready and seat.task is None:
                yield from self._send(seat, self._again.popleft())
        starting = sum(not seat.ready for seat in self._seats)
        for _ in range(min(len(self._again) - starting, self.count - len(self._seats))):
            self._seats.append(_Seat(self._backend.start()))

    def _send(self, seat: _Seat[AnyWorker], task: PageTask) -> Iterator[PageResult]:
        try:
            seat.worker.send(Order(task.document, task))
        except InputError as error:
            for number in task.pages:
                yield _failed(task, number, str(error), error.exit_code)
            return
        seat.task, seat.done = task, 0

    def _receive(self, seat: _Seat[AnyWorker]) -> Iterator[PageResult]:
        try:
            message = seat.worker.receive()
        except WorkerDied as death:
            yield from self._replace(seat, death.cause)
            return
        if isinstance(message, CannotStart | Aborted):
            raise message.error
        if isinstance(message, Ready):
            seat.ready = True
        elif message.last:
            seat.task = None
        else:
            seat.done += 1
            self._deaths_in_a_row = 0
            yield message.content

    def _replace(self, seat: _Seat[AnyWorker], cause: str) -> Iterator[PageResult]:
        """A worker died: put the rest of its task back, without the page it was reading if it was the last try."""
        seat.worker.kill()  # one of a cluster may only have been out of reach
        seat.worker.close()
        self._seats.remove(seat)
        task = seat.task
        left = task.pages[seat.done :] if task else ()
        if task is None or not left:
            self._count_death(cause)
            return
        page = (task.document, left[0])
        self._deaths[page] += 1
        if self._deaths[page] >= self._backend.tries:
            self._count_death(cause)
            message = f"page {left[0]}: {self._backend.page_lost(cause)}"
            yield _failed(task, left[0], message, GalleyError.exit_code)
            left = left[1:]
        if left:
            self._again.append(replace(task, pages=left))

    def _count_death(self, cause: str) -> None:
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= _MOST_DEATHS_IN_A_ROW:
            raise GalleyError(self._backend.all_die(self._deaths_in_a_row, cause))


def _failed(task: PageTask, number: int, message: str, code: int) -> PageResult:
    return PageResult(task.document, Failure(message=message, page=number), code)
