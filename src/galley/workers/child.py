"""What runs in a worker process: lanes that carry out tasks, and one pipe to the parent."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection

from galley.errors import GalleyError, unexpected
from galley.workers.protocol import Aborted, CannotStart, Handler, Message, Order, Output, Ready


def run_worker(
    pipe: Connection, make_handler: Callable[[], Handler], lanes: int, threads: int | None
) -> None:
    """Carry out orders until the pipe ends.

    Args:
        pipe: the way to the parent.
        make_handler: loads what the tasks need; an error of it would stop every other worker too.
        lanes: tasks at a time.
        threads: threads of models made here; None is one per core.
    """
    from galley.runtime import set_threads

    # The parent ends its workers; a signal to the whole group must not end them before it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    set_threads(threads)
    with suppress(EOFError, ConnectionError):  # the parent is gone
        try:
            handler = make_handler()
        except GalleyError as error:
            pipe.send(CannotStart(error))
            return
        except Exception as error:
            pipe.send(CannotStart(GalleyError(unexpected(error))))
            return
        pipe.send(Ready())
        _Lanes(pipe, handler, lanes).run()


class _Lanes:
    def __init__(self, pipe: Connection, handler: Handler, lanes: int) -> None:
        self._pipe, self._handler = pipe, handler
        self._sending = threading.Lock()
        self._threads = ThreadPoolExecutor(lanes) if lanes > 1 else None

    def run(self) -> None:
        while True:
            order: Order = self._pipe.recv()
            if order.task is None:
                self._handler.cancel(order.owner)
            elif self._threads:
                self._threads.submit(self._carry_out, order)
            else:
                self._carry_out(order)

    def _carry_out(self, order: Order) -> None:
        def send(content: object) -> None:
            self._send(Output(order.number, content))

        try:
            content = self._handler.do(order.task, send)
        except GalleyError as error:
            self._send(Aborted(order.number, error))
        else:
            self._send(Output(order.number, content, last=True))

    def _send(self, message: Message) -> None:
        with self._sending:
            self._pipe.send(message)
