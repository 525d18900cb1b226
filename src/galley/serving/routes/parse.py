"""``POST /v1/parse``: a document in, its text out, or a job."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from starlette.datastructures import FormData, UploadFile

from galley.document.exporters import Exporter
from galley.serving.forms import form_options, read_flag
from galley.serving.intake import Saver, saver_of, take
from galley.serving.jobs import Job
from galley.serving.refusal import Refusal
from galley.serving.routes.common import (
    cancelled_with,
    ensure_over,
    format_of,
    job_answer,
    job_links,
    result_answer,
    scheduler_of,
    settings_of,
    unless_gone,
)
from galley.serving.settings import Limits, Settings
from galley.serving.uploads import read_form, save_upload

router = APIRouter()
_MOST_URLS = 100


@router.post("/v1/parse")
async def parse(request: Request) -> Response:
    """Parse the document in the form field ``file``, or those at ``urls`` where the server allows them.

    Other fields: ``format``, ``wait`` and the options. Several documents are answered with a job each.
    """
    scheduler, settings = scheduler_of(request), settings_of(request)
    with scheduler.place():
        form = await read_form(request, settings.limits)
        try:
            chosen = format_of(str(form.get("format") or "json"))
            wait = read_flag(form, "wait", True)
            options = form_options(form, settings.options)
            first, *others = _savers(form, settings)
            job = await take(scheduler, first, options)
        finally:
            await form.close()
    if not others:
        return await _answer(request, job, chosen) if wait else job_answer(job)
    jobs = [job]
    for saver in others:
        with scheduler.place():
            jobs.append(await take(scheduler, saver, options))
    return JSONResponse({"jobs": [job_links(job) for job in jobs]}, 202)


def _savers(form: FormData, settings: Settings) -> list[Saver]:
    upload = form.get("file")
    urls = [url for field in ("url", "urls") for value in form.getlist(field) for url in str(value).split()]
    if isinstance(upload, UploadFile) and not urls:
        return [partial(_save, upload, settings.limits)]
    if not urls or upload:
        raise Refusal(422, "no-file", "there is no document; send one in the field named file")
    if len(urls) > _MOST_URLS or any(not url.lower().startswith(("http://", "https://")) for url in urls):
        raise Refusal(422, "bad-url", f"urls takes up to {_MOST_URLS} http:// or https:// addresses")
    return [saver_of(url, settings) for url in urls]


async def _save(upload: UploadFile, limits: Limits, path: Path) -> str | None:
    await save_upload(upload, path, limits)
    return upload.filename


async def _answer(request: Request, job: Job, chosen: Exporter) -> Response:
    """The result when it comes soon; work for a client that is gone is given up."""
    scheduler, limits = scheduler_of(request), settings_of(request).limits
    with cancelled_with(scheduler, [job]):
        await unless_gone(request, scheduler.opened(job))
        if len(job.pages or []) > limits.wait_pages:
            return job_answer(job)
        if not await unless_gone(request, scheduler.over(job), limits.wait_seconds):
            return job_answer(job)
    ensure_over(job)
    return await result_answer(job, chosen)
