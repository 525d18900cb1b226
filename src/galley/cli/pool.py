"""Several worker processes that share the pages of many documents or of one large one."""

from __future__ import annotations

import math
import multiprocessing
import signal
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import TracebackType

from galley.api import make_parser
from galley.cli.worker import PageWorker, ParserFactory, Result, Task
from galley.document import Failure
from galley.errors import GalleyError, unexpected
from galley.parsing.options import ParseOptions
from galley.runtime import cores

_MAX_DEATHS_IN_A_ROW = 3
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


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    task: Task | None = None
    done: int = 0


class WorkerPool:
    """Up to ``count`` processes, each with one thread for its models; use it in a ``with`` statement.

    A worker gets its next task when it has finished one, so no more is under way than there are workers. One
    that dies fails the page it was reading; another one takes the rest of its task.
    """

    def __init__(self, count: int, options: ParseOptions, factory: ParserFactory = make_parser) -> None:
        self._count = count
        self._options = options
        self._factory = factory
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._deaths = 0

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Results as they come; those of one task are in order. Raises what no page would escape."""
        waiting = iter(tasks)
        again: deque[Task] = deque()
        while True:
            self._hand_out(waiting, again)
            busy = [worker for worker in self._workers if worker.task]
            if not busy:
                return
            ready = wait([worker.pipe for worker in busy])
            for worker in busy:
                if worker.pipe in ready:
                    yield from self._receive(worker, again)

    def close(self) -> None:
        """End all workers, at once."""
        for worker in self._workers:
            worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_PATIENCE_S)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.pipe.close()
        self._workers.clear()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _hand_out(self, waiting: Iterator[Task], again: deque[Task]) -> None:
        while sum(worker.task is not None for worker in self._workers) < self._count:
            task = again.popleft() if again else next(waiting, None)
            if task is None:
                return
            worker = next((worker for worker in self._workers if worker.task is None), None) or self._start()
            worker.task, worker.done = task, 0
            worker.pipe.send(task)

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(
            target=_serve, args=(theirs, self._options, self._factory), daemon=True, name="galley-worker"
        )
        process.start()
        theirs.close()  # so that the pipe ends when the worker does
        worker = _Worker(process, ours)
        self._workers.append(worker)
        return worker

    def _receive(self, worker: _Worker, again: deque[Task]) -> Iterator[Result]:
        try:
            message = worker.pipe.recv()
        except (EOFError, ConnectionError):
            yield self._bury(worker, again)
            return
        if isinstance(message, GalleyError):
            raise message
        if message is None:
            worker.task = None
        else:
            worker.done += 1
            self._deaths = 0
            yield message

    def _bury(self, worker: _Worker, again: deque[Task]) -> Result:
        """A worker died: fail the page it was reading and put the rest of its task back."""
        worker.process.join(_PATIENCE_S)
        worker.pipe.close()
        self._workers.remove(worker)
        self._deaths += 1
        cause = _cause(worker.process.exitcode)
        if self._deaths >= _MAX_DEATHS_IN_A_ROW:
            raise GalleyError(
                f"{self._deaths} worker processes in a row died ({cause}); try again with --jobs 1"
            )
        assert worker.task is not None
        number, *rest = worker.task.pages[worker.done :]
        if rest:
            again.append(replace(worker.task, pages=tuple(rest)))
        failure = Failure(message=f"page {number}: the process that read it died ({cause})", page=number)
        return Result(worker.task.document, failure, GalleyError.exit_code)


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        hint = ", perhaps for want of memory" if -code == signal.SIGKILL else ""
        return f"signal {-code}{hint}"
    return f"exit code {code}"


def _serve(pipe: Connection, options: ParseOptions, factory: ParserFactory) -> None:
    """A worker process: read tasks until the pipe ends."""
    from galley.runtime import set_threads

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    set_threads(1)
    try:
        worker = _started(options, factory)
        while True:
            for result in worker.read(pipe.recv()):
                pipe.send(result)
            pipe.send(None)
    except (EOFError, BrokenPipeError):
        pass  # the parent is gone
    except GalleyError as error:
        pipe.send(error)


def _started(options: ParseOptions, factory: ParserFactory) -> PageWorker:
    """A worker; what stops it from starting would stop the others too, and is no page's fault."""
    try:
        return PageWorker(options, factory)
    except GalleyError:
        raise
    except Exception as error:
        raise GalleyError(unexpected(error)) from error
