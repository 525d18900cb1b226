"""Workers that are actors of a Ray cluster.

Actors and not Ray Data: a data set wants all its rows before it starts and repeats a batch whose worker died
without end, whereas here documents are opened while others are read, a page that kills its workers is given up
while the rest goes on, and each page is known when it is done.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import ray
from ray.exceptions import RayError, RayTaskError

from galley._version import __version__
from galley.errors import GalleyError, InputError, one_line
from galley.parsing.options import ParseOptions
from galley.reading import ParserFactory
from galley.workers.page_worker import PageTask
from galley.workers.protocol import Aborted, CannotStart, Message, Order, Output, Ready, WorkerDied
from galley.workers.ray.actor import PageActor, PageWithFigures
from galley.workers.ray.capacity import Capacity, plan_workers
from galley.workers.ray.cluster import connected
from galley.writing import writing

_LONGEST_REASON = 200
_WARN_AFTER_S = 60
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")

_log = logging.getLogger(__name__)


class _Documents:
    """The bytes of the document read last, put in the cluster's store once for the tasks in a row."""

    def __init__(self) -> None:
        self._last: tuple[int, Any] | None = None

    def reference(self, task: PageTask) -> Any:
        """The document's bytes in the cluster's store.

        Raises:
            OSError: The document cannot be read.
        """
        if self._last is None or self._last[0] != task.document:
            self._last = task.document, ray.put(task.path.read_bytes())
        return self._last[1]


class RayWorker:
    """An actor; ``awaited`` is its start, then the stream of the pages of its task."""

    def __init__(self, actor: Any, awaited: Any, documents: _Documents) -> None:
        self.awaited = awaited
        self.ready = False
        self._actor = actor
        self._documents = documents
        self._order: Order | None = None

    def send(self, order: Order) -> None:
        """See ``Worker.send``."""
        try:
            content = self._documents.reference(order.task)
        except OSError as error:
            raise InputError(f"{order.task.name} cannot be read: {error.strerror}") from error
        self.awaited = self._actor.read.options(num_returns="streaming").remote(order.task, [content])
        self._order = order

    def receive(self) -> Message:
        """See ``Worker.receive``."""
        try:
            if not self.ready:
                return self._started(ray.get(self.awaited))
            assert self._order is not None
            number = self._order.number
            try:
                read = ray.get(next(self.awaited))
            except StopIteration:
                return Output(number, None, last=True)
            return Output(number, self._unpacked(read))
        except RayError as error:
            if self._order and isinstance(error, RayTaskError) and isinstance(error.cause, GalleyError):
                return Aborted(self._order.number, error.cause)
            raise WorkerDied(_reason(error)) from error

    def kill(self) -> None:
        """See ``Worker.kill``."""
        ray.kill(self._actor)

    def close(self) -> None:
        """Ray lets go of it by itself."""

    def _started(self, obstacle: GalleyError | None) -> Message:
        self.ready = obstacle is None
        return CannotStart(obstacle) if obstacle else Ready()

    def _unpacked(self, read: PageWithFigures) -> object:
        """The result; its figures are written where the task wants them."""
        assert self._order is not None
        for name, content in read.figures.items():
            path = self._order.task.images / name
            with writing(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
        return read.result


class RayBackend:
    """Starts actors with a parser each on a cluster, which it reaches or starts when it is entered."""

    tries = 3

    def __init__(
        self, options: ParseOptions, factory: ParserFactory, jobs: int | None, address: str | None
    ) -> None:
        self._options, self._factory = options, factory
        self._jobs, self._address = jobs, address
        self._stack = ExitStack()
        self._capacity = Capacity(0)
        self._documents = _Documents()

    @property
    def count(self) -> int:
        """How many workers read at a time; known once the cluster is reached."""
        return self._capacity.workers

    def __enter__(self) -> RayBackend:
        nodes = self._stack.enter_context(connected(self._address, self._jobs))
        with ExitStack() as undo:
            undo.push(self._stack)
            self._capacity = plan_workers(nodes, self._options, self._jobs)
            undo.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def start(self) -> RayWorker:
        """See ``Backend.start``."""
        capacity = self._capacity
        remote: Any = ray.remote(num_cpus=capacity.cpus, num_gpus=capacity.gpus)(PageActor)
        actor = remote.remote(self._options, self._factory)
        return RayWorker(actor, actor.start.remote(__version__, capacity.threads), self._documents)

    def wait(self, workers: Sequence[RayWorker]) -> list[RayWorker]:
        """The first worker that has a page, or has started, or died."""
        awaited = [worker.awaited for worker in workers]
        of_others = self._address is not None and not any(worker.ready for worker in workers)
        ready, _ = ray.wait(awaited, timeout=_WARN_AFTER_S if of_others else None)
        if not ready:
            _log.warning("galley: no worker has started on the Ray cluster yet, which may be busy; waiting")
            ready, _ = ray.wait(awaited)
        return [worker for worker in workers if worker.awaited is ready[0]]

    def page_lost(self, cause: str) -> str:
        """See ``Backend.page_lost``."""
        return f"{self.tries} workers failed to read it ({cause})"

    def all_die(self, count: int, cause: str) -> str:
        """See ``Backend.all_die``."""
        return f"workers of the Ray cluster fail one after the other ({cause})"


def _reason(error: RayError) -> str:
    """Ray explains itself at length and in colour; what it says last says most when a worker could not start."""
    if isinstance(error, RayTaskError) and isinstance(error.cause, Exception):
        return f"{type(error.cause).__name__}: {one_line(error.cause)}"
    lines = [line.strip() for line in _COLOURS.sub("", str(error)).splitlines() if line.strip()]
    said = lines[-1] if len(lines) > 1 and len(lines[-1]) <= _LONGEST_REASON else ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
