"""One decoder for everybody: regions of several pages and requests decode in one batch."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field

from galley.decoding import Decoder, Finish, Request, Result, Stats
from galley.workers.fair_queue import FairQueue


@dataclass(eq=False)
class _PendingRequest:
    owner: str
    request: Request
    over: threading.Event = field(default_factory=threading.Event)
    result: Result | None = None

    def end(self, result: Result) -> None:
        self.result = result
        self.over.set()


class SharedDecoder:
    """Steps a decoder in a thread of its own.

    Owners take turns for the ``places`` of its batch, so that one owner's many regions do not keep another's
    few waiting.
    """

    def __init__(self, decoder: Decoder, places: int) -> None:
        self.decoder = decoder
        self._places = places
        self._changed = threading.Condition()
        self._waiting: FairQueue[_PendingRequest] = FairQueue()
        self._running: dict[int, _PendingRequest] = {}
        threading.Thread(target=self._step_forever, daemon=True, name="galley-decoder").start()

    def run(self, owner: str, requests: Iterable[Request]) -> list[Result]:
        """Decode requests together with everybody else's; returns their results in order. Blocks."""
        asked = [_PendingRequest(owner, request) for request in requests]
        with self._changed:
            for one in asked:
                self._waiting.put(owner, one)
            self._changed.notify()
        for one in asked:
            one.over.wait()
        return [one.result for one in asked if one.result is not None]

    def cancel(self, owner: str) -> None:
        """End an owner's requests; each has a result that says so."""
        with self._changed:
            for one in self._waiting.drop(owner):
                one.end(_empty_result(Finish.CANCELLED))
            for ticket, one in self._running.items():
                if one.owner == owner:
                    self.decoder.cancel(ticket)

    def _step_forever(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._running)
                while len(self._running) < self._places and (one := self._waiting.take()):
                    self._running[self.decoder.add(one.request)] = one
            self._step()

    def _step(self) -> None:
        try:
            results = self.decoder.step()
        except Exception as error:  # what no single sequence is to blame for
            self.decoder.close()
            with self._changed:
                lost = list(self._running.values())
                self._running.clear()
            for one in lost:
                one.end(_empty_result(Finish.ERROR, error))
            return
        for result in results:
            with self._changed:
                one = self._running.pop(result.ticket)
            one.end(result)


def _empty_result(finish: Finish, error: Exception | None = None) -> Result:
    return Result(-1, [], finish, Stats(), [], error=error)
