"""Requests on their way into a decoder: tickets, cancelling, and running them all."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Sized

from galley.decoding.request import Finish, Request, Result
from galley.decoding.stats import Stats


class RequestQueue(ABC):
    """Takes requests into a decoder, whoever runs their forwards.

    ``add`` and ``cancel`` may be called from other threads while one thread calls ``step``.
    """

    _running: Sized
    """the sequences under way, kept as the decoder likes"""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Request]] = deque()
        self._alive: set[int] = set()
        self._cancelled: set[int] = set()
        self._tickets = itertools.count()

    def add(self, request: Request) -> int:
        """Queue a request; it joins the batch at the next step that has a place.

        Returns:
            Its ticket.
        """
        ticket = next(self._tickets)
        self._alive.add(ticket)
        self._waiting.append((ticket, request))
        return ticket

    def cancel(self, ticket: int) -> None:
        """End a sequence at its next step, keeping what it wrote; does nothing when it is over already."""
        if ticket in self._alive:
            self._cancelled.add(ticket)

    @property
    def busy(self) -> bool:
        """Whether anything is running or waiting."""
        return bool(self._waiting or self._running)

    def run(self, requests: Iterable[Request]) -> list[Result]:
        """Decode all requests and return their results in order. For a decoder that nobody else steps."""
        if self.busy:
            raise RuntimeError("the decoder is busy; use add() and step()")
        results: dict[int, Result] = {}
        try:
            tickets = [self.add(request) for request in requests]
            while self.busy:
                results.update((result.ticket, result) for result in self.step())
        except BaseException:
            self.close()
            raise
        return [results[ticket] for ticket in tickets]

    @abstractmethod
    def step(self) -> list[Result]:
        """One round of every running sequence, after new ones joined.

        Returns:
            What finished.
        """

    def close(self) -> list[Result]:
        """Cancel everything and free what is held for it.

        Returns:
            What had been written.
        """
        self._cancelled |= self._alive
        self._cancel_running()
        return self._sweep() + self._admit()

    @abstractmethod
    def _cancel_running(self) -> None:
        """Mark those running sequences that were cancelled as finished."""

    @abstractmethod
    def _admit(self) -> list[Result]:
        """Start waiting requests while there are places; results of those that do not start."""

    @abstractmethod
    def _sweep(self) -> list[Result]:
        """Take finished sequences out and free what is held for them."""

    def _unstarted(
        self, ticket: int, request: Request, finish: Finish, error: Exception | None = None
    ) -> Result:
        return self._over(request, Result(ticket, [], finish, Stats(), [], error=error))

    def _over(self, request: Request, result: Result) -> Result:
        """Forget a request that is over and say so to who asked."""
        self._alive.discard(result.ticket)
        self._cancelled.discard(result.ticket)
        if request.on_finish:
            request.on_finish(result)
        return result
