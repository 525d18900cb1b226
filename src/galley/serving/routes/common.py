"""What the routes share."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from anyio import to_thread
from fastapi import Request
from fastapi.responses import FileResponse, JSONResponse, Response

from galley.document.exporters import Exporter, exporter
from galley.document.json import from_json
from galley.errors import UsageError
from galley.serving.jobs import Job, State
from galley.serving.refusal import CLIENT_DISCONNECTED, Refusal
from galley.serving.scheduler import Scheduler
from galley.serving.settings import Settings

_SAFE = {"Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self'"}
"""A result is somebody's document: a browser must run nothing in it."""


def scheduler_of(request: Request) -> Scheduler:
    """The server's scheduler."""
    scheduler: Scheduler = request.app.state.scheduler
    return scheduler


def settings_of(request: Request) -> Settings:
    """The server's settings."""
    settings: Settings = request.app.state.settings
    return settings


async def unless_disconnected(
    request: Request, work: Coroutine[Any, Any, Any], seconds: float | None = None
) -> bool:
    """Await some work unless the client leaves.

    Args:
        request: Whose client may leave.
        work: What to wait for.
        seconds: How long to wait; as long as it takes when None.

    Returns:
        Whether the work was done in time.

    Raises:
        Refusal: The client is gone.
    """
    waiting = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({waiting, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if waiting.done():
            waiting.result()
            return True
        if gone.done():
            raise Refusal(CLIENT_DISCONNECTED, "client-gone", "the client closed the connection")
        return False
    finally:
        waiting.cancel()
        gone.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


@contextmanager
def cancelled_with(scheduler: Scheduler, jobs: list[Job]) -> Iterator[None]:
    """Jobs that are given up when the request that waits for them is."""
    try:
        yield
    except BaseException:
        for job in jobs:
            scheduler.cancel(job)
        raise


def require_ended(job: Job) -> None:
    """Refuse to answer for a job that the server's end has cut short."""
    if not job.state.ended:
        raise Refusal(503, "shutting-down", "the server was shut down before the document was read", 10)


def job_links(job: Job) -> dict[str, Any]:
    """A job under way, with links to what there is of it."""
    base = f"/v1/jobs/{job.id}"
    links = {"self": base, "events": f"{base}/events", "result": f"{base}/result"}
    return {"id": job.id, "state": job.state.value, "links": links}


def job_answer(job: Job) -> JSONResponse:
    """The answer to a request whose document is not read yet."""
    return JSONResponse(job_links(job), 202, headers={"Location": f"/v1/jobs/{job.id}"})


def format_of(name: str) -> Exporter:
    """The format that a request names; refused where there is none or its package is missing."""
    try:
        chosen = exporter(name)
        chosen.require()
    except UsageError as error:
        raise Refusal(422, "bad-format", str(error)) from error
    return chosen


async def result_answer(job: Job, chosen: Exporter) -> Response:
    """The result of a job that is over; refused where there is none."""
    if job.state is State.FAILED:
        message = "; ".join(failure.message for failure in job.failures[:3])
        raise Refusal(job.status, "unreadable", message)
    if job.state is State.CANCELLED:
        raise Refusal(410, "cancelled", "the job was cancelled")
    if job.state is not State.DONE:
        raise Refusal(409, "not-done", f"the job is {job.state.value}; ask again when it is done")
    headers = {"Location": f"/v1/jobs/{job.id}", "X-Galley-Job": job.id} | _SAFE
    path = job.folder.result(chosen)
    if chosen.whole and not path.is_file():
        await to_thread.run_sync(_make_result, job, chosen)
    return FileResponse(path, media_type=chosen.media_type, headers=headers)


def _make_result(job: Job, chosen: Exporter) -> None:
    document = from_json(job.folder.result(exporter("json")).read_bytes())
    job.folder.write(job.folder.result(chosen), chosen.texts(document, document.pages, job.options.keep)[0])
