"""A worker process: lanes that carry out tasks, and one pipe to the server."""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from galley.errors import GalleyError, ModelError, unexpected
from galley.serving.disk import NO_ROOM, is_full
from galley.serving.models import Models
from galley.serving.reading import TaskReader
from galley.serving.tasks import Answer, Delta, ReadPage, Task, TaskFailed


@dataclass(frozen=True)
class Order:
    """A task with the number its answer carries. ``task`` None: stop reading for ``owner``."""

    ticket: int
    task: Task | None
    owner: str = ""


@dataclass(frozen=True)
class Ready:
    """The worker has its models and takes orders."""


@dataclass(frozen=True)
class Unfit:
    """The worker cannot work, and no other could."""

    message: str


def serve_tasks(pipe: Connection, make_models: Callable[[], Models], lanes: int, threads: int | None) -> None:
    """Carry out orders until the pipe ends. lanes: tasks at a time. threads: for models made here."""
    from galley.runtime import set_threads

    # The server ends its workers; a signal to the whole group must not end them before it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    set_threads(threads)
    try:
        models = make_models()
    except GalleyError as error:
        pipe.send(Unfit(str(error)))
        return
    pipe.send(Ready())
    with suppress(EOFError, ConnectionError):  # the server is gone
        _Worker(pipe, models, lanes).run()


def _failed(task: Task, error: Exception) -> TaskFailed:
    if is_full(error):
        return TaskFailed(NO_ROOM, ModelError.exit_code)
    traceback.print_exc()
    what = unexpected(error)
    return TaskFailed(f"page {task.number}: {what}" if isinstance(task, ReadPage) else what)


class _Worker:
    def __init__(self, pipe: Connection, models: Models, lanes: int) -> None:
        self._pipe, self._models = pipe, models
        self._sending = threading.Lock()
        self._lane = threading.local()
        self._pool = ThreadPoolExecutor(lanes) if lanes > 1 else None

    def run(self) -> None:
        while True:
            order: Order = self._pipe.recv()
            if order.task is None:
                self._models.cancel(order.owner)
            elif self._pool:
                self._pool.submit(self._carry_out, order.ticket, order.task)
            else:
                self._carry_out(order.ticket, order.task)

    def _carry_out(self, ticket: int, task: Task) -> None:
        def send(delta: Delta) -> None:
            self._send((ticket, delta))

        try:
            answer: Answer = self._reader().do(task, send)
        except GalleyError as error:
            answer = TaskFailed(str(error), error.exit_code)
        except Exception as error:  # no task may take the others down
            answer = _failed(task, error)
        self._send((ticket, answer))

    def _reader(self) -> TaskReader:
        reader: TaskReader | None = getattr(self._lane, "reader", None)
        if reader is None:
            reader = self._lane.reader = TaskReader(self._models)
        return reader

    def _send(self, message: Any) -> None:
        with self._sending:
            self._pipe.send(message)
