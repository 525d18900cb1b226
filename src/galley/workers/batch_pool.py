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
class _Slot(Generic[AnyWorker]):
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
        self._slots: list[_Slot[AnyWorker]] = []
        self._requeued: deque[PageTask] = deque()
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
        for slot in self._slots:
            slot.worker.kill()
        for slot in self._slots:
            slot.worker.close()
        self._slots.clear()
        self._stack.close()

    def run(self, tasks: Iterable[PageTask]) -> Iterator[PageResult]:
        """Results as they come; those of one task are in order. Raises what no page would escape."""
        waiting = iter(tasks)
        self._exhausted = False
        while True:
            yield from self._hand_out(waiting)
            if not self._requeued and not any(slot.task for slot in self._slots):
                if self._exhausted:
                    return
                continue
            expected = [slot.worker for slot in self._slots if slot.task or not slot.ready]
            heard = self._backend.wait(expected)
            for slot in [slot for slot in self._slots if slot.worker in heard]:
                yield from self._receive(slot)

    def _hand_out(self, waiting: Iterator[PageTask]) -> Iterator[PageResult]:
        """Tasks to workers that are ready, and a new worker for each task that is left, while there is room.

        Gives failures for pages of a document that is gone.
        """
        while len(self._requeued) < self.count - sum(slot.task is not None for slot in self._slots):
            task = next(waiting, None)
            if task is None:
                self._exhausted = True
                break
            self._requeued.append(task)
        for slot in self._slots:
            if self._requeued and slot.ready and slot.task is None:
                yield from self._send(slot, self._requeued.popleft())
        starting = sum(not slot.ready for slot in self._slots)
        for _ in range(min(len(self._requeued) - starting, self.count - len(self._slots))):
            self._slots.append(_Slot(self._backend.start()))

    def _send(self, slot: _Slot[AnyWorker], task: PageTask) -> Iterator[PageResult]:
        try:
            slot.worker.send(Order(task.document, task))
        except InputError as error:
            for number in task.pages:
                yield _failed(task, number, str(error), error.exit_code)
            return
        slot.task, slot.done = task, 0

    def _receive(self, slot: _Slot[AnyWorker]) -> Iterator[PageResult]:
        try:
            message = slot.worker.receive()
        except WorkerDied as death:
            yield from self._replace(slot, death.cause)
            return
        if isinstance(message, CannotStart | Aborted):
            raise message.error
        if isinstance(message, Ready):
            slot.ready = True
        elif message.last:
            slot.task = None
        else:
            slot.done += 1
            self._deaths_in_a_row = 0
            yield message.content

    def _replace(self, slot: _Slot[AnyWorker], cause: str) -> Iterator[PageResult]:
        """A worker died: put the rest of its task back, without the page it was reading if it was the last try."""
        slot.worker.kill()  # one of a cluster may only have been out of reach
        slot.worker.close()
        self._slots.remove(slot)
        task = slot.task
        left = task.pages[slot.done :] if task else ()
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
            self._requeued.append(replace(task, pages=left))

    def _count_death(self, cause: str) -> None:
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row >= _MOST_DEATHS_IN_A_ROW:
            raise GalleyError(self._backend.all_die(self._deaths_in_a_row, cause))


def _failed(task: PageTask, number: int, message: str, code: int) -> PageResult:
    return PageResult(task.document, Failure(message=message, page=number), code)
