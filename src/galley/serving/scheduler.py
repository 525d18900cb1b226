"""Which document's page is read next, and what becomes of documents: the server's heart, on its event loop."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from galley.document import Failure
from galley.document.json import from_json, to_json
from galley.errors import GalleyError, InputError, ModelError
from galley.parsing.options import ParseOptions
from galley.serving.folder import JobFolder
from galley.serving.jobs import Job, State, load, new_id
from galley.serving.metrics import Metrics
from galley.serving.refusal import Refusal
from galley.serving.settings import Settings
from galley.serving.tasks import (
    Answer,
    Delta,
    FinishDocument,
    OpenDocument,
    Opened,
    PageRead,
    ReadPage,
    ReadRegion,
    RegionRead,
    TaskFailed,
)
from galley.serving.worker_pools import WorkerPools
from galley.workers.async_pool import AsyncPool, Ticket

_log = logging.getLogger(__name__)
_SWEEP_S = 2.0
_LONGEST_RETRY_S = 60


class Scheduler:
    """Takes documents and regions, hands their parts to the pools, keeps what comes back."""

    def __init__(self, settings: Settings, root: Path, metrics: Metrics) -> None:
        self.settings, self.limits = settings, settings.limits
        self.metrics = metrics
        self.jobs: dict[str, Job] = {}
        self.draining = False
        self.closed = asyncio.Event()
        self._root = root
        self._pools = WorkerPools(settings)
        self._admitted = 0  # places of requests that are no jobs, or none yet
        self._pace: float | None = None
        self._sweeper: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the workers and go on with jobs of an earlier run.

        Raises:
            ModelError: Nothing can work.
        """
        await self._pools.start()
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())
        for path in sorted(self._root.iterdir()):
            folder = JobFolder(path)
            try:
                job = load(folder)
            except ValueError:
                folder.remove()  # an upload that was cut off
                continue
            self.jobs[job.id] = job
            if not job.state.ended:
                self._resume(job)

    async def drain(self, grace: float) -> list[Job]:
        """Take nothing new and give what is under way ``grace`` seconds; returns the jobs that are left."""
        self.draining = True
        end = time.monotonic() + grace
        while (self._unfinished() or self._admitted) and time.monotonic() < end:
            await asyncio.sleep(0.05)
        return self._unfinished()

    def stop_waiting(self) -> None:
        """Let go of everybody who waits for a job."""
        self.draining = True
        self.closed.set()
        for job in self._unfinished():
            job.notify()

    async def close(self) -> None:
        """End the workers. Unfinished jobs stay on disk as they are."""
        self.stop_waiting()
        if self._sweeper:
            self._sweeper.cancel()
        for job in self._unfinished():
            job.reading += time.time() - job.started if job.started else 0.0
            self._keep(job)
        await self._pools.close()

    # Places

    @property
    def load(self) -> int:
        """Requests and jobs that are waiting or under way."""
        return len(self._unfinished()) + self._admitted

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """A place in the queue, held while a request's document is on its way in. Refused with 429 when full."""
        if self.draining:
            raise Refusal(503, "shutting-down", "the server is shutting down; try another one or later", 10)
        if self.load >= self.limits.queue:
            self.metrics.refused.inc()
            message = f"{self.load} requests are waiting already; try again later"
            raise Refusal(429, "queue-full", message, self._retry_after())
        self._admitted += 1
        try:
            yield
        finally:
            self._admitted -= 1

    @property
    def tasks_waiting(self) -> int:
        """Pages and regions that no worker has begun."""
        return self._pools.waiting

    def _retry_after(self) -> int:
        """Seconds until about one place is free, by the pace of late."""
        return max(1, min(_LONGEST_RETRY_S, math.ceil(self._pace or 1.0)))

    # Jobs

    def new_folder(self) -> JobFolder:
        """A folder for a job that is on its way in."""
        folder = JobFolder(self._root / new_id())
        folder.path.mkdir(mode=0o700)
        return folder

    def submit(self, folder: JobFolder, name: str, options: ParseOptions) -> Job:
        """Take a document that lies in a folder of ``new_folder``."""
        job = Job(folder.path.name, name, folder, options)
        job.save()
        self.jobs[job.id] = job
        self._resume(job)
        return job

    def job(self, id_: str) -> Job:
        """The job with this id; refused with 404 where there is none."""
        if job := self.jobs.get(id_):
            return job
        kept = f"{self.limits.keep_seconds:g} seconds"
        raise Refusal(404, "no-such-job", f"there is no such job; finished ones are kept for {kept}")

    def cancel(self, job: Job) -> None:
        """Stop working on a job; does nothing when it is over."""
        if not job.state.ended:
            self._end(job, State.CANCELLED)

    async def wait_ended(self, job: Job) -> None:
        """Wait until a job has ended, or the server does."""
        await self._wait_until(job, lambda: job.state.ended)

    async def wait_opened(self, job: Job) -> None:
        """Wait until the number of pages is known."""
        await self._wait_until(job, lambda: job.state.ended or job.pages is not None)

    async def _wait_until(self, job: Job, reached: Callable[[], bool]) -> None:
        while not reached() and not self.closed.is_set():
            await job.next_change()

    def _resume(self, job: Job) -> None:
        self.metrics.accepted_jobs.inc()
        if job.pages is None:
            task = OpenDocument(job.folder.document, job.name, job.options)
            self._put(job, self.limits.page_seconds, task, self._opened)
        else:
            self._read(job, job.left)

    def _put(
        self,
        job: Job,
        seconds: float,
        task: OpenDocument | ReadPage | FinishDocument,
        take: Callable[[Job, Answer], None],
    ) -> None:
        def done(answer: Answer) -> None:
            if not job.state.ended:
                take(job, answer)

        self._pool(job.options).put(Ticket(job.id, task, seconds, done, _as_failure(done)))

    def _pool(self, options: ParseOptions) -> AsyncPool:
        return self._pools.of(options)

    def _opened(self, job: Job, answer: Answer) -> None:
        if not isinstance(answer, Opened):
            self._fail(job, answer)
            return
        if len(answer.pages) > self.limits.max_pages:
            message = (
                f"{job.name} has {len(answer.pages)} pages and the server takes {self.limits.max_pages};"
                " ask for some of them with pages=1-100"
            )
            self._fail(job, TaskFailed(message, InputError.exit_code), 413)
            return
        job.pages, job.head = answer.pages, answer.head
        job.failures += [Failure(message=message) for message in answer.missing]
        self._read(job, job.pages)

    def _read(self, job: Job, numbers: list[int]) -> None:
        job.state = State.RUNNING
        job.started = time.time()
        self._keep(job)
        job.notify()
        if not numbers:
            self._finish(job)
        for number in numbers:
            task = ReadPage(job.folder.path, job.folder.document, job.name, job.options, number, job.id)
            self._put(job, self.limits.page_seconds, task, partial(self._page_read, number=number))

    def _page_read(self, job: Job, answer: Answer, number: int) -> None:
        if number not in job.left:  # it came after the job's time
            return
        if isinstance(answer, PageRead):
            job.read.append(number)
            job.parts += [Failure(message=f"page {number}: {text}", page=number) for text in answer.failures]
            job.counts.add(answer.counts)
            self.metrics.page(answer)
            self._pace = 0.8 * (self._pace or answer.seconds) + 0.2 * answer.seconds
        else:
            assert isinstance(answer, TaskFailed)
            self.metrics.failed.inc()
            if answer.code == ModelError.exit_code:
                job.status = 503
            prefix = f"page {number}"
            message = answer.message if answer.message.startswith(prefix) else f"{prefix}: {answer.message}"
            job.failures.append(Failure(message=message, page=number))
        self._keep(job)
        job.notify()
        if not job.left:
            self._finish(job)

    def _finish(self, job: Job) -> None:
        if not job.read and job.failures:
            self._end(job, State.FAILED)
            return
        document = from_json(job.head)
        document.failures = job.failures
        task = FinishDocument(job.folder.path, job.options, to_json(document, indent=None))
        self._put(job, self.limits.job_seconds, task, self._finished)

    def _finished(self, job: Job, answer: Answer) -> None:
        if isinstance(answer, TaskFailed):
            self._fail(job, answer)
        else:
            self._end(job, State.DONE)

    def _fail(self, job: Job, answer: Answer, status: int | None = None) -> None:
        assert isinstance(answer, TaskFailed)
        job.failures.append(Failure(message=answer.message))
        unknown = {GalleyError.exit_code: 500, ModelError.exit_code: 503}
        job.status = status or unknown.get(answer.code, job.status)
        self._end(job, State.FAILED)

    def _end(self, job: Job, state: State) -> None:
        job.end(state)
        self._pool(job.options).drop(job.id)
        job.folder.document.unlink(missing_ok=True)  # nobody needs it any more
        self._keep(job)
        self.metrics.jobs.labels(state.value).inc()
        self.metrics.job_seconds.observe(time.time() - job.created)
        job.notify()

    # Regions

    async def read_region(self, task: ReadRegion, delta: Callable[[Delta], None] | None = None) -> RegionRead:
        """Read one image; cancelled with the task that waits for it.

        Raises:
            Refusal: It cannot be.
        """
        done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

        def take(answer: Answer) -> None:
            if not done.done():
                done.set_result(answer)

        pool = self._pool(task.options)
        pool.put(Ticket(task.owner, task, self.limits.page_seconds, take, _as_failure(take), delta))
        try:
            answer = await done
        except asyncio.CancelledError:
            pool.drop(task.owner)
            raise
        if isinstance(answer, TaskFailed):
            status = {InputError.exit_code: 422, ModelError.exit_code: 503}.get(answer.code, 500)
            raise Refusal(status, "unreadable", answer.message)
        assert isinstance(answer, RegionRead)
        self.metrics.count(answer.counts)
        return answer

    # Time

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(min(_SWEEP_S, self.limits.keep_seconds / 4))
            now = time.time()
            for job in list(self.jobs.values()):
                if job.state.ended:
                    if now - (job.ended or now) > self.limits.keep_seconds:
                        self._drop(job)
                elif job.started and now - job.started > self.limits.job_seconds:
                    self._out_of_time(job)
            self._drop_surplus()

    def _out_of_time(self, job: Job) -> None:
        """Fail the pages that are left; what was read is kept."""
        self._pool(job.options).drop(job.id)
        message = f"the job took longer than {self.limits.job_seconds:g} seconds"
        job.failures += [Failure(message=f"page {number}: {message}", page=number) for number in job.left]
        self._finish(job)

    def _drop_surplus(self) -> None:
        over = [job for job in self.jobs.values() if job.state.ended]
        for job in sorted(over, key=lambda job: job.ended or 0.0)[: max(0, len(over) - self.limits.kept)]:
            self._drop(job)

    def _keep(self, job: Job) -> None:
        """Write a job's state. Where that fails the job goes on; a restart would know less of it."""
        try:
            job.save()
        except OSError as error:
            _log.error("the state of job %s is not saved: %s", job.id, error.strerror)

    def _drop(self, job: Job) -> None:
        del self.jobs[job.id]
        job.folder.remove()

    def _unfinished(self) -> list[Job]:
        return [job for job in self.jobs.values() if not job.state.ended]


def _as_failure(take: Callable[[Answer], None]) -> Callable[[GalleyError], None]:
    """Tells ``take`` of a task that the workers could not carry out."""
    return lambda error: take(TaskFailed(str(error), error.exit_code))
