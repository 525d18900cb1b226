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

    seconds: how long it may take once begun. done: called once with what ended the task. failed: called once in its
    place where the task came to nothing. output: called with what the task gives on the way.
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
class _Seat:
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
        self._seats: list[_Seat] = []
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
        for seat in self._seats:
            if any(ticket.owner == owner for ticket in seat.tickets.values()):
                seat.worker.send(Order(0, None, owner))

    async def close(self) -> None:
        """End all processes. Tasks under way get no answer."""
        self._closed = True
        if self._clock:
            self._clock.cancel()
        for seat in self._seats:
            seat.worker.kill()
        await asyncio.gather(*(asyncio.to_thread(seat.worker.process.join) for seat in self._seats))

    # Workers

    def _begin(self) -> None:
        if self._clock:
            return
        self._loop = asyncio.get_running_loop()
        self._clock = self._loop.create_task(self._watch_time())
        for _ in range(self._backend.count):
            self._start_worker()

    def _start_worker(self) -> None:
        seat = _Seat(self._backend.start())
        self._seats.append(seat)
        threading.Thread(target=self._receive, args=(seat,), daemon=True, name="galley-receiver").start()

    def _receive(self, seat: _Seat) -> None:
        """A thread per worker: pass on what it says until it is gone."""
        with suppress(RuntimeError):  # the loop has ended
            try:
                while True:
                    self._loop.call_soon_threadsafe(self._take, seat, seat.worker.receive())
            except WorkerDied as death:
                self._loop.call_soon_threadsafe(self._replace, seat, death.cause)

    def _take(self, seat: _Seat, message: Message) -> None:
        if isinstance(message, CannotStart):
            self._fail_all(str(message.error))
        elif isinstance(message, Ready):
            seat.ready = True
            self._started.set()
        elif isinstance(message, Aborted):
            if ticket := seat.tickets.pop(message.number, None):
                ticket.failed(message.error)
        else:
            self._take_output(seat, message)
        self._hand_out()

    def _take_output(self, seat: _Seat, output: Output) -> None:
        ticket = seat.tickets.get(output.number)
        if ticket and output.last:
            del seat.tickets[output.number]
            ticket.done(output.content)
        elif ticket and ticket.output:
            ticket.output(output.content)

    def _hand_out(self) -> None:
        while self._waiting and not self._closed:
            free = [seat for seat in self._seats if seat.ready and len(seat.tickets) < self._backend.lanes]
            if not free or (ticket := self._waiting.take()) is None:
                return
            seat = min(free, key=lambda seat: len(seat.tickets))
            ticket.tries += 1
            ticket.deadline = self._loop.time() + ticket.seconds
            seat.tickets[ticket.number] = ticket
            seat.worker.send(Order(ticket.number, ticket.task, ticket.owner))

    def _replace(self, seat: _Seat, cause: str) -> None:
        """A process died: its tasks are tried again, or fail when that was tried already."""
        seat.worker.close()
        self._seats.remove(seat)
        if self._closed or self._start_error:
            return
        if not seat.ready:
            self._fail_all(f"a worker process could not start ({cause})")
            return
        self._start_worker()
        for ticket in seat.tickets.values():
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
            for seat in list(self._seats):
                late = [ticket for ticket in seat.tickets.values() if ticket.deadline < now]
                for ticket in late:
                    del seat.tickets[ticket.number]
                    ticket.failed(GalleyError(f"it took longer than {ticket.seconds:g} seconds"))
                if late:
                    seat.worker.kill()
