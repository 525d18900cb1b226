"""What the pool makes of workers that die: workers that do as they are told, and no processes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from galley.document import Failure, Page
from galley.errors import GalleyError, InputError, ModelError
from galley.workers.batch_pool import BatchPool
from galley.workers.page_worker import PageResult, PageTask
from galley.workers.protocol import Aborted, CannotStart, Message, Order, Output, Ready, WorkerDied


class FakeWorker:
    """Reads pages, and dies at those of ``deadly`` as often as the number says."""

    def __init__(self, deadly: dict[int, int], first: Message | None = None) -> None:
        self.deadly = deadly
        self.messages: list[Message] = [first or Ready()]
        self.killed = self.closed = False

    def send(self, order: Order) -> None:
        task = order.task
        if task.name == "gone.pdf":
            raise InputError("gone.pdf cannot be read: No such file or directory")
        if task.name == "model.pdf":
            self.messages.append(Aborted(order.number, ModelError("no such model")))
        for number in task.pages:
            if self.deadly.get(number, 0) > 0:
                self.deadly[number] -= 1
                return
            page = Page(number=number, width=1, height=1)
            self.messages.append(Output(order.number, PageResult(task.document, page)))
        self.messages.append(Output(order.number, None, last=True))

    def receive(self) -> Message:
        if not self.messages:
            raise WorkerDied("signal 9")
        return self.messages.pop(0)

    def kill(self) -> None:
        self.killed = True

    def close(self) -> None:
        self.closed = True


class FakeBackend:
    def __init__(self, count: int, tries: int, deadly: dict[int, int], first: Message | None = None) -> None:
        self.count, self.tries = count, tries
        self.started: list[FakeWorker] = []
        self._deadly, self._first = deadly, first

    def __enter__(self) -> FakeBackend:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def start(self) -> FakeWorker:
        self.started.append(FakeWorker(self._deadly, self._first))
        return self.started[-1]

    def wait(self, workers: Sequence[FakeWorker]) -> list[FakeWorker]:
        return list(workers)

    def page_lost(self, cause: str) -> str:
        return f"given up ({cause})"

    def all_die(self, count: int, cause: str) -> str:
        return f"{count} in a row ({cause})"


def task(*pages: int, document: int = 0, name: str = "a.pdf") -> PageTask:
    return PageTask(document, Path(name), name, pages)


def read(backend: FakeBackend, *tasks: PageTask) -> list[int | str]:
    """Numbers of pages read and messages of those that were not, as they came."""
    with BatchPool(backend) as pool:
        results = [result.page for result in pool.run(tasks)]
    assert all(worker.killed and worker.closed for worker in backend.started)
    return [page.message if isinstance(page, Failure) else page.number for page in results]


def test_no_more_workers_than_tasks() -> None:
    backend = FakeBackend(4, 1, {})
    assert read(backend, task(1, 2), task(3)) == [1, 3, 2]
    assert len(backend.started) == 2


def test_tasks_are_asked_for_as_workers_come_free() -> None:
    asked: list[int] = []

    def tasks() -> object:
        for number in range(1, 6):
            asked.append(number)
            yield task(number)

    with BatchPool(FakeBackend(2, 1, {})) as pool:
        results = pool.run(tasks())  # type: ignore[arg-type]
        next(results)
        assert asked == [1, 2]
        assert len(list(results)) == 4


def test_the_page_a_worker_died_at_is_given_up_and_the_rest_read() -> None:
    backend = FakeBackend(1, 1, {2: 9})
    assert read(backend, task(1, 2, 3, 4)) == [1, "page 2: given up (signal 9)", 3, 4]
    assert len(backend.started) == 2


def test_a_page_is_tried_as_often_as_the_backend_says() -> None:
    assert read(FakeBackend(1, 3, {2: 2}), task(1, 2, 3)) == [1, 2, 3]
    assert read(FakeBackend(1, 3, {2: 3}), task(1, 2, 3)) == [1, "page 2: given up (signal 9)", 3]


def test_workers_that_all_die_end_the_run() -> None:
    backend = FakeBackend(1, 1, dict.fromkeys(range(1, 9), 1))
    with BatchPool(backend) as pool:
        results = pool.run([task(*range(1, 9))])
        assert [next(results).page.page, next(results).page.page] == [1, 2]  # type: ignore[union-attr]
        with pytest.raises(GalleyError, match=r"^3 in a row \(signal 9\)$"):
            next(results)


def test_what_no_page_would_escape_is_raised() -> None:
    with pytest.raises(ModelError, match="no such model"):
        read(FakeBackend(1, 1, {}), task(1, name="model.pdf"))
    with pytest.raises(ModelError, match="missing"):
        read(FakeBackend(1, 1, {}, CannotStart(ModelError("missing"))), task(1))


def test_pages_of_a_document_that_is_gone_fail() -> None:
    message = "gone.pdf cannot be read: No such file or directory"
    assert read(FakeBackend(1, 1, {}), task(1, 2, name="gone.pdf"), task(3)) == [message, message, 3]
