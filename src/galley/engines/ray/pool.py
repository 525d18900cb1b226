"""Several Ray actors that share the pages of many documents; takes tasks and gives results as ``WorkerPool``.

Actors and not Ray Data: a data set wants all its rows before it starts and repeats a batch whose worker died
without end, whereas here documents are opened while others are read, a page that kills its workers is given up
while the rest goes on, and each page is known when it is done.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from galley._version import __version__
from galley.cli.outputs import writing
from galley.cli.worker import ParserFactory, Result, Task
from galley.document import Failure
from galley.engines.ray.actor import PageActor
from galley.engines.ray.cluster import connected
from galley.engines.ray.share import Share, share_out
from galley.errors import GalleyError, InputError, one_line
from galley.parsing.options import ParseOptions

_TRIES_PER_PAGE = 3
_MOST_FAILURES_IN_A_ROW = 3
_LONGEST_REASON = 200
_PATIENCE_S = 60
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

_log = logging.getLogger(__name__)


@dataclass
class _Worker:
    """An actor; ``awaited`` is its start, then the stream of the pages of its task."""

    actor: Any
    awaited: Any
    task: Task | None = None
    done: int = 0
    ready: bool = False


class RayPool:
    """Workers on a Ray cluster; use it in a ``with`` statement.

    A page whose worker dies is read by another one, and given up when it took ``_TRIES_PER_PAGE`` workers down.
    """

    def __init__(
        self, options: ParseOptions, factory: ParserFactory, jobs: int | None, address: str | None
    ) -> None:
        self._options = options
        self._factory = factory
        self._jobs = jobs
        self._address = address
        self._stack = ExitStack()
        self._share = Share(0)
        self._workers: list[_Worker] = []
        self._deaths: Counter[tuple[int, int]] = Counter()  # by document and page
        self._failed_in_a_row = 0
        self._sent: tuple[int, Any] | None = None

    @property
    def count(self) -> int:
        """How many workers read at a time."""
        return self._share.workers

    def __enter__(self) -> RayPool:
        nodes = self._stack.enter_context(connected(self._address, self._jobs))
        with ExitStack() as undo:
            undo.push(self._stack)
            self._share = share_out(nodes, self._options, self._jobs)
            undo.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            ray.kill(worker.actor)
        self._workers.clear()
        self._stack.close()

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Results as they come; those of one task are in order. Raises what no page would escape."""
        waiting = iter(tasks)
        again: deque[Task] = deque()
        while True:
            yield from self._hand_out(waiting, again)
            if not again and not any(worker.task for worker in self._workers):
                return
            worker = self._next_heard_of()
            if worker.ready:
                yield from self._receive(worker, again)
            else:
                self._started(worker)

    def _next_heard_of(self) -> _Worker:
        """The first worker that has a page, or has started, or died."""
        awaited = [worker.awaited for worker in self._workers if worker.task or not worker.ready]
        anothers = self._address is not None and not any(worker.ready for worker in self._workers)
        ready, _ = ray.wait(awaited, timeout=_PATIENCE_S if anothers else None)
        if not ready:
            _log.warning("galley: no worker has started on the Ray cluster yet, which may be busy; waiting")
            ready, _ = ray.wait(awaited)
        return next(worker for worker in self._workers if worker.awaited is ready[0])

    def _hand_out(self, waiting: Iterator[Task], again: deque[Task]) -> Iterator[Result]:
        """Tasks to workers that are ready, and a new worker for each task that is left, while there is room.

        Gives failures for pages of a document that is gone.
        """
        while len(again) < self.count - sum(worker.task is not None for worker in self._workers):
            task = next(waiting, None)
            if task is None:
                break
            again.append(task)
        for worker in self._workers:
            if again and worker.ready and worker.task is None:
                yield from self._send(worker, again.popleft())
        starting = sum(not worker.ready for worker in self._workers)
        for _ in range(min(len(again) - starting, self.count - len(self._workers))):
            self._start()

    def _start(self) -> None:
        remote: Any = ray.remote(num_cpus=self._share.cpus, num_gpus=self._share.gpus)(PageActor)
        actor = remote.remote(self._options, self._factory)
        self._workers.append(_Worker(actor, actor.start.remote(__version__, self._share.threads)))

    def _started(self, worker: _Worker) -> None:
        try:
            obstacle = ray.get(worker.awaited)
        except RayError as error:
            self._remove(worker)
            self._one_more_failure(error)
            return
        if obstacle is not None:
            raise obstacle
        worker.ready = True

    def _send(self, worker: _Worker, task: Task) -> Iterator[Result]:
        try:
            content = self._content(task)
        except OSError as error:
            for number in task.pages:
                message = f"page {number}: {task.name} cannot be read: {error.strerror}"
                yield Result(task.document, Failure(message=message, page=number), InputError.exit_code)
            return
        worker.awaited = worker.actor.read.options(num_returns="streaming").remote(task, [content])
        worker.task, worker.done = task, 0

    def _content(self, task: Task) -> Any:
        """The reference of the document's bytes, put in the cluster's store once for the tasks in a row."""
        if self._sent is None or self._sent[0] != task.document:
            self._sent = task.document, ray.put(task.path.read_bytes())
        return self._sent[1]

    def _receive(self, worker: _Worker, again: deque[Task]) -> Iterator[Result]:
        assert worker.task is not None
        try:
            shipped = ray.get(next(worker.awaited))
        except StopIteration:
            worker.task = None
            return
        except RayError as error:
            if isinstance(error, RayTaskError) and isinstance(error.cause, GalleyError):
                raise error.cause from error
            yield from self._bury(worker, again, error)
            return
        for name, content in shipped.figures.items():
            path = worker.task.images / name
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        worker.done += 1
        self._failed_in_a_row = 0
        yield shipped.result

    def _bury(self, worker: _Worker, again: deque[Task], error: RayError) -> Iterator[Result]:
        """A worker died, or its machine cannot go on: put the rest of its task back, without the page it was
        reading if it was the last try."""
        task = worker.task
        assert task is not None
        self._remove(worker)
        left = task.pages[worker.done :]
        page = (task.document, left[0]) if left else None
        if page:
            self._deaths[page] += 1
        if page and self._deaths[page] >= _TRIES_PER_PAGE:
            self._one_more_failure(error)
            message = f"page {left[0]}: {_TRIES_PER_PAGE} workers failed to read it ({_reason(error)})"
            yield Result(task.document, Failure(message=message, page=left[0]), GalleyError.exit_code)
            left = left[1:]
        if left:
            again.append(replace(task, pages=left))

    def _remove(self, worker: _Worker) -> None:
        ray.kill(worker.actor)  # it may only have been out of reach
        self._workers.remove(worker)

    def _one_more_failure(self, error: RayError) -> None:
        self._failed_in_a_row += 1
        if self._failed_in_a_row >= _MOST_FAILURES_IN_A_ROW:
            raise GalleyError(f"workers of the Ray cluster fail one after the other ({_reason(error)})")


def _reason(error: RayError) -> str:
    """Ray explains itself at length and in colour; what it says last says most when a worker could not start."""
    if isinstance(error, RayTaskError) and isinstance(error.cause, Exception):
        return f"{type(error.cause).__name__}: {one_line(error.cause)}"
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines() if line.strip()]
    said = lines[-1] if len(lines) > 1 and len(lines[-1]) <= _LONGEST_REASON else ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
