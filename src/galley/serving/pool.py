"""Worker processes as the event loop sees them: tasks go in, answers come back as calls."""

from __future__ import annotations

import asyncio
import itertools
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

from galley.serving.fair import FairQueue
from galley.serving.models import Models
from galley.serving.tasks import Answer, Delta, Task, TaskFailed
from galley.serving.worker import Order, Ready, Unfit, serve_tasks

_TICK_S = 0.5
_PATIENCE_S = 2.0
_TRIES = 2
"""Times a task is begun: the first process that read it may have died for another task's sake."""


@dataclass(eq=False)
class Ticket:
    """A task on its way. seconds: how long it may take once begun. done: called once with its answer."""

    owner: str
    task: Task
    seconds: float
    done: Callable[[Answer], None]
    delta: Callable[[Delta], None] | None = None
    number: int = 0
    tries: int = 0
    deadline: float = 0.0


@dataclass(eq=False)
class _Worker:
    process: SpawnProcess
    pipe: Connection
    ready: bool = False
    tickets: dict[int, Ticket] = field(default_factory=dict)


class Pool:
    """``count`` processes with ``lanes`` tasks each; owners of tasks take turns.

    Everything but receiving happens on the event loop. A process that dies, or is killed because a task took too
    long, is replaced; tasks it had besides are tried once more.
    """

    def __init__(
        self, count: int, lanes: int, make_models: Callable[[], Models], threads: int | None = 1
    ) -> None:
        self._count, self._lanes = count, lanes
        self._start_worker = lambda pipe: (pipe, make_models, lanes, threads)
        self._context = multiprocessing.get_context("spawn")
        self._waiting: FairQueue[Ticket] = FairQueue()
        self._workers: list[_Worker] = []
        self._numbers = itertools.count(1)
        self._closed = False
        self._unfit: str | None = None
        self._ready: asyncio.Event = asyncio.Event()
        self._clock: asyncio.Task[None] | None = None

    async def start(self) -> str | None:
        """Start the processes and wait for the first; returns why it cannot work, None when it can."""
        self._begin()
        await self._ready.wait()
        return self._unfit

    @property
    def lanes(self) -> int:
        """Tasks that may be under way at a time."""
        return self._count * self._lanes

    @property
    def waiting(self) -> int:
        """Tasks that have not been begun."""
        return len(self._waiting)

    def put(self, ticket: Ticket) -> None:
        """Have a task carried out; the first one starts the processes if nobody else did."""
        self._begin()
        if self._unfit:
            self._loop.call_soon(ticket.done, TaskFailed(self._unfit, 5))
            return
        ticket.number = next(self._numbers)
        self._waiting.put(ticket.owner, ticket)
        self._hand_out()

    def drop(self, owner: str) -> None:
        """Forget an owner's waiting tasks, without calls, and ask workers to stop reading for it."""
        self._waiting.drop(owner)
        for worker in self._workers:
            if any(ticket.owner == owner for ticket in worker.tickets.values()):
                self._send(worker, Order(0, None, owner))

    async def close(self) -> None:
        """End all processes. Tasks under way get no answer."""
        self._closed = True
        if self._clock:
            self._clock.cancel()
        for worker in self._workers:
            worker.process.kill()
        await asyncio.gather(*(asyncio.to_thread(worker.process.join) for worker in self._workers))

    # Workers

    def _begin(self) -> None:
        if self._clock:
            return
        self._loop = asyncio.get_running_loop()
        self._clock = self._loop.create_task(self._watch_time())
        for _ in range(self._count):
            self._hire()

    def _hire(self) -> None:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=serve_tasks, args=self._start_worker(theirs), daemon=True, name="galley-worker"
        )
        process.start()
        theirs.close()  # so that the pipe ends when the worker does
        worker = _Worker(process, ours)
        self._workers.append(worker)
        threading.Thread(target=self._receive, args=(worker,), daemon=True, name="galley-receiver").start()

    def _receive(self, worker: _Worker) -> None:
        """A thread per worker: pass on what it says until it is gone."""
        with suppress(EOFError, OSError, RuntimeError):
            while True:
                self._loop.call_soon_threadsafe(self._take, worker, worker.pipe.recv())
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._bury, worker)

    def _take(self, worker: _Worker, message: Any) -> None:
        if isinstance(message, Unfit):
            self._fail_all(message.message)
        elif isinstance(message, Ready):
            worker.ready = True
            self._ready.set()
        else:
            number, answer = message
            self._answer(worker, number, answer)
        self._hand_out()

    def _answer(self, worker: _Worker, number: int, answer: Answer | Delta) -> None:
        if isinstance(answer, Delta):
            ticket = worker.tickets.get(number)
            if ticket and ticket.delta:
                ticket.delta(answer)
        elif ticket := worker.tickets.pop(number, None):
            ticket.done(answer)

    def _hand_out(self) -> None:
        while self._waiting and not self._closed:
            free = [w for w in self._workers if w.ready and len(w.tickets) < self._lanes]
            if not free or (ticket := self._waiting.take()) is None:
                return
            worker = min(free, key=lambda w: len(w.tickets))
            ticket.tries += 1
            ticket.deadline = self._loop.time() + ticket.seconds
            worker.tickets[ticket.number] = ticket
            self._send(worker, Order(ticket.number, ticket.task))

    def _send(self, worker: _Worker, order: Order) -> None:
        with suppress(OSError):  # it died; the receiving thread says so
            worker.pipe.send(order)

    def _bury(self, worker: _Worker) -> None:
        """A process died: its tasks are tried again, or fail when that was tried already."""
        worker.process.join(_PATIENCE_S)
        worker.pipe.close()
        self._workers.remove(worker)
        if self._closed or self._unfit:
            return
        if not worker.ready:
            self._fail_all(f"a worker process could not start ({_cause(worker.process.exitcode)})")
            return
        self._hire()
        for ticket in worker.tickets.values():
            if ticket.tries < _TRIES:
                self._waiting.put(ticket.owner, ticket, first=True)
            else:
                cause = _cause(worker.process.exitcode)
                ticket.done(TaskFailed(f"the process that read it died ({cause})"))

    def _fail_all(self, message: str) -> None:
        self._unfit = message
        self._ready.set()
        while ticket := self._waiting.take():
            ticket.done(TaskFailed(message, 5))

    async def _watch_time(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            now = self._loop.time()
            for worker in list(self._workers):
                late = [ticket for ticket in worker.tickets.values() if ticket.deadline < now]
                for ticket in late:
                    del worker.tickets[ticket.number]
                    ticket.done(TaskFailed(f"it took longer than {ticket.seconds:g} seconds"))
                if late:
                    worker.process.kill()


def _cause(code: int | None) -> str:
    return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
