"""Workers that are processes of this machine."""

from __future__ import annotations

import math
import multiprocessing
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from galley.runtime import cores
from galley.workers.child import run_worker
from galley.workers.protocol import Handler, Message, Order, WorkerDied

_PATIENCE_S = 2.0
_WORKER_BYTES = 1.2e9


def worker_count() -> int:
    """One worker per core, fewer where memory is short."""
    return max(1, min(cores(), int(_free_memory() / _WORKER_BYTES)))


def _free_memory() -> float:
    """Bytes that can be had without swapping; infinite where the system does not say."""
    try:
        with Path("/proc/meminfo").open() as lines:
            found = next(line for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return math.inf
    return int(found.split()[1]) * 1024.0


class ProcessWorker:
    """A child process and the pipe to it."""

    def __init__(self, process: SpawnProcess, pipe: Connection) -> None:
        self.process, self.pipe = process, pipe

    def send(self, order: Order) -> None:
        with suppress(OSError):  # it died; ``receive`` says so
            self.pipe.send(order)

    def receive(self) -> Message:
        try:
            message: Message = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(_PATIENCE_S)
            raise WorkerDied(_cause(self.process.exitcode)) from None
        return message

    def kill(self) -> None:
        self.process.kill()

    def close(self) -> None:
        self.process.join(_PATIENCE_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()


class ProcessBackend:
    """Starts processes, up to ``count`` of which work at a time.

    Args:
        make_handler: made in each process; has to be picklable.
        count: processes.
        lanes: tasks that one process has under way at a time.
        threads: threads of the models of one process; None is one per core.
    """

    tries = 1

    def __init__(
        self, make_handler: Callable[[], Handler], count: int, lanes: int = 1, threads: int | None = 1
    ) -> None:
        self.count, self.lanes = count, lanes
        self._make_handler, self._threads = make_handler, threads
        self._context = multiprocessing.get_context("spawn")

    def __enter__(self) -> ProcessBackend:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def start(self) -> ProcessWorker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=run_worker,
            args=(theirs, self._make_handler, self.lanes, self._threads),
            daemon=True,
            name="galley-worker",
        )
        process.start()
        theirs.close()  # so that the pipe ends when the worker does
        return ProcessWorker(process, ours)

    def wait(self, workers: Sequence[ProcessWorker]) -> list[ProcessWorker]:
        ready = wait([worker.pipe for worker in workers])
        return [worker for worker in workers if worker.pipe in ready]

    def page_lost(self, cause: str) -> str:
        return f"the process that read it died ({cause})"

    def all_die(self, count: int, cause: str) -> str:
        return f"{count} worker processes in a row died ({cause}); try again with --jobs 1"


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        hint = ", perhaps for want of memory" if -code == signal.SIGKILL else ""
        return f"signal {-code}{hint}"
    return f"exit code {code}"
