"""Jobs: how far they are, their pages as they come, their results."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse

from galley.document.exporters import exporter
from galley.serving.jobs import Job
from galley.serving.refusal import Refusal
from galley.serving.routes.common import format_of, result_answer, scheduler_of
from galley.serving.scheduler import Scheduler
from galley.serving.task_reader import page_markdown

router = APIRouter(prefix="/v1/jobs/{job_id}")

_HEARTBEAT_S = 15.0
_PROGRESS_S = 1.0


@router.get("")
async def show(request: Request, job_id: str) -> JSONResponse:
    """The job."""
    return JSONResponse(scheduler_of(request).job(job_id).view(), headers={"Cache-Control": "no-store"})


@router.delete("")
async def cancel(request: Request, job_id: str) -> JSONResponse:
    """Cancel the job; one that is over stays as it is."""
    scheduler = scheduler_of(request)
    job = scheduler.job(job_id)
    scheduler.cancel(job)
    return JSONResponse(job.view())


@router.get("/result")
async def result(request: Request, job_id: str, format: str = "json") -> Response:
    """The finished document."""
    return await result_answer(scheduler_of(request).job(job_id), format_of(format))


@router.get("/pages/{number}/image")
async def page_image(request: Request, job_id: str, number: int) -> Response:
    """The upright page, at most 1600 pixels long; boxes scale with it."""
    job = _with_page(request, job_id, number)
    return FileResponse(job.folder.page_image(number), media_type="image/jpeg")


@router.get("/pages/{number}/markdown")
async def markdown(request: Request, job_id: str, number: int) -> Response:
    """The page alone as Markdown."""
    job = _with_page(request, job_id, number)
    data = await to_thread.run_sync(job.folder.page(number).read_bytes)
    text = await to_thread.run_sync(page_markdown, data, job.options)
    return Response(text, media_type=exporter("md").media_type)


@router.get("/pages/{number}/proof")
async def proof(request: Request, job_id: str, number: int) -> Response:
    """How the page's text came about, token by token."""
    job = _with_page(request, job_id, number)
    return FileResponse(job.folder.proof(number), media_type="application/json")


@router.get("/images/{name}")
async def figure(request: Request, job_id: str, name: str) -> Response:
    """A figure cut out of a page, as the result names it."""
    job = scheduler_of(request).job(job_id)
    known = await to_thread.run_sync(lambda: {path.name: path for path in job.folder.images.glob("*.jpg")})
    if name not in known:
        raise Refusal(404, "no-such-image", f"the job has no image {name!r}")
    return FileResponse(known[name], media_type="image/jpeg")


def _with_page(request: Request, job_id: str, number: int) -> Job:
    job = scheduler_of(request).job(job_id)
    if number not in job.read:
        raise Refusal(404, "no-such-page", f"page {number} has not been read")
    return job


@router.get("/events")
async def events(request: Request, job_id: str) -> StreamingResponse:
    """What happens, from the start or from ``Last-Event-ID`` on, as server-sent events."""
    scheduler = scheduler_of(request)
    job = scheduler.job(job_id)
    told = request.headers.get("last-event-id", "")
    stream = _events(scheduler, job, int(told) if told.isdigit() else 0)
    return StreamingResponse(
        stream,
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _events(scheduler: Scheduler, job: Job, seen: int) -> AsyncIterator[str]:
    """Events of a job. An event's id is the number of pages told of by then; ``end`` has one more."""
    while True:
        news = asyncio.ensure_future(job.news())
        try:
            while seen < len(job.read):
                number = job.read[seen]
                seen += 1
                yield _event("page", await _page(job, number), seen)
            yield _event("progress", job.view(), min(seen, len(job.read)))
            if job.state.over:
                yield _event("end", job.view(), len(job.read) + 1)
                return
            if scheduler.closed.is_set():
                return
            while not (await asyncio.wait({news}, timeout=_HEARTBEAT_S))[0]:
                yield ": still here\n\n"
        finally:
            news.cancel()


async def _page(job: Job, number: int) -> dict[str, Any]:
    try:
        data = await to_thread.run_sync(job.folder.page(number).read_bytes)
    except FileNotFoundError:  # the job has just expired
        return {"number": number, "width": 0, "height": 0, "page": None}
    page = json.loads(data)
    return {"number": number, "width": page["width"], "height": page["height"], "page": page}


def _event(name: str, data: object, id_: int) -> str:
    return f"id: {id_}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
