"""Worker processes as an event loop sees them: tasks go in, answers come back as calls."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from galley.errors import GalleyError, ModelError
from galley.workers.fair_queue import FairQueue
from galley.workers.processes import ProcessBackend, ProcessWorker
from galley.workers.protocol import Aborted, CannotStart, Message, Order, Output, Ready, WorkerDied

_TICK_S = 0.5
_TRIES = 2
"""Times a task is begun: the first process that read it may have died for another task's sake."""


@dataclass(eq=False)
class Ticket:
    """A task on its way.

    Attributes:
        seconds: How long it may take once begun.
        done: Called once with what ended the task.
        failed: Called once in its place where the task came to nothing.
        output: Called with what the task gives on the way.
    """

    owner: str
    task: Any
    seconds: float
    done: Callable[[Any], None]
    failed: Callable[[GalleyError], None]
    output: Callable[[Any], None] | None = None
    number: int = 0
    tries: int = 0
    deadline: float = 0.0


@dataclass(eq=False)
class _Slot:
    worker: ProcessWorker
    ready: bool = False
    tickets: dict[int, Ticket] = field(default_factory=dict)


class AsyncPool:
    """The processes of a backend with its lanes; owners of tasks take turns.

    Everything but receiving happens on the event loop. A process that dies, or is killed because a task took too
    long, is replaced; tasks it had besides are tried once more.
    """

    def __init__(self, backend: ProcessBackend) -> None:
        self._backend = backend
        self._waiting: FairQueue[Ticket] = FairQueue()
        self._slots: list[_Slot] = []
        self._numbers = itertools.count(1)
        self._closed = False
        self._start_error: ModelError | None = None
        self._started: asyncio.Event = asyncio.Event()
        self._clock: asyncio.Task[None] | None = None

    async def start(self) -> ModelError | None:
        """Start the processes and wait for the first; returns why it cannot work, None when it can."""
        self._begin()
        await self._started.wait()
        return self._start_error

    @property
    def waiting(self) -> int:
        """Tasks that have not been begun."""
        return len(self._waiting)

    def put(self, ticket: Ticket) -> None:
        """Have a task carried out; the first one starts the processes if nobody else did."""
        self._begin()
        if self._start_error:
            self._loop.call_soon(ticket.failed, self._start_error)
            return
        ticket.number = next(self._numbers)
        self._waiting.put(ticket.owner, ticket)
        self._hand_out()

    def drop(self, owner: str) -> None:
        """Forget an owner's waiting tasks, without calls, and ask workers to stop working for it."""
        self._waiting.drop(owner)
        for slot in self._slots:
            if any(ticket.owner == owner for ticket in slot.tickets.values()):
                slot.worker.send(Order(0, None, owner))

    async def close(self) -> None:
        """End all processes. Tasks under way get no answer."""
        self._closed = True
        if self._clock:
            self._clock.cancel()
        for slot in self._slots:
            slot.worker.kill()
        await asyncio.gather(*(asyncio.to_thread(slot.worker.process.join) for slot in self._slots))

    # Workers

    def _begin(self) -> None:
        if self._clock:
            return
        self._loop = asyncio.get_running_loop()
        self._clock = self._loop.create_task(self._watch_time())
        for _ in range(self._backend.count):
            self._start_worker()

    def _start_worker(self) -> None:
        slot = _Slot(self._backend.start())
        self._slots.append(slot)
        threading.Thread(target=self._receive, args=(slot,), daemon=True, name="galley-receiver").start()

    def _receive(self, slot: _Slot) -> None:
        """A thread per worker: pass on what it says until it is gone."""
        with suppress(RuntimeError):  # the loop has ended
            try:
                while True:
                    self._loop.call_soon_threadsafe(self._take, slot, slot.worker.receive())
            except WorkerDied as death:
                self._loop.call_soon_threadsafe(self._replace, slot, death.cause)

    def _take(self, slot: _Slot, message: Message) -> None:
        if isinstance(message, CannotStart):
            self._fail_all(str(message.error))
        elif isinstance(message, Ready):
            slot.ready = True
            self._started.set()
        elif isinstance(message, Aborted):
            if ticket := slot.tickets.pop(message.number, None):
                ticket.failed(message.error)
        else:
            self._take_output(slot, message)
        self._hand_out()

    def _take_output(self, slot: _Slot, output: Output) -> None:
        ticket = slot.tickets.get(output.number)
        if ticket and output.last:
            del slot.tickets[output.number]
            ticket.done(output.content)
        elif ticket and ticket.output:
            ticket.output(output.content)

    def _hand_out(self) -> None:
        while self._waiting and not self._closed:
            free = [slot for slot in self._slots if slot.ready and len(slot.tickets) < self._backend.lanes]
            if not free or (ticket := self._waiting.take()) is None:
                return
            slot = min(free, key=lambda slot: len(slot.tickets))
            ticket.tries += 1
            ticket.deadline = self._loop.time() + ticket.seconds
            slot.tickets[ticket.number] = ticket
            slot.worker.send(Order(ticket.number, ticket.task, ticket.owner))

    def _replace(self, slot: _Slot, cause: str) -> None:
        """A process died: its tasks are tried again, or fail when that was tried already."""
        slot.worker.close()
        self._slots.remove(slot)
        if self._closed or self._start_error:
            return
        if not slot.ready:
            self._fail_all(f"a worker process could not start ({cause})")
            return
        self._start_worker()
        for ticket in slot.tickets.values():
            if ticket.tries < _TRIES:
                self._waiting.put(ticket.owner, ticket, first=True)
            else:
                ticket.failed(GalleyError(self._backend.page_lost(cause)))

    def _fail_all(self, message: str) -> None:
        self._start_error = error = ModelError(message)
        self._started.set()
        while ticket := self._waiting.take():
            ticket.failed(error)

    async def _watch_time(self) -> None:
        while True:
            await asyncio.sleep(_TICK_S)
            now = self._loop.time()
            for slot in list(self._slots):
                late = [ticket for ticket in slot.tickets.values() if ticket.deadline < now]
                for ticket in late:
                    del slot.tickets[ticket.number]
                    ticket.failed(GalleyError(f"it took longer than {ticket.seconds:g} seconds"))
                if late:
                    slot.worker.kill()
