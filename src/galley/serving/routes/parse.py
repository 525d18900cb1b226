"""``POST /v1/parse``: a document in, its text out, or a job."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.datastructures import FormData, UploadFile

from galley.serving.folder import FORMATS
from galley.serving.forms import form_options, read_flag
from galley.serving.jobs import Job
from galley.serving.refusal import Refusal
from galley.serving.routes.common import job_answer, result_answer, scheduler_of, settings_of, unless_gone
from galley.serving.uploads import read_form, save_upload, shown_name

router = APIRouter()


@router.post("/v1/parse")
async def parse(request: Request) -> Response:
    """Parse the document in the form field ``file``. Other fields: ``format``, ``wait`` and the options."""
    scheduler, limits = scheduler_of(request), settings_of(request).limits
    with scheduler.place():
        form = await read_form(request, limits)
        try:
            name = wanted_format(form)
            wait = read_flag(form, "wait", True)
            job = await _accept(request, form)
        finally:
            await form.close()
    if not wait:
        return job_answer(job)
    return await _answer(request, job, name)


def wanted_format(form: FormData) -> str:
    """The format asked for; refused when there is none of that name."""
    name = str(form.get("format") or "json")
    if name not in FORMATS:
        raise Refusal(422, "bad-format", f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    return name


async def _accept(request: Request, form: FormData) -> Job:
    scheduler, settings = scheduler_of(request), settings_of(request)
    options = form_options(form, settings.options)
    upload = form.get("file")
    if not isinstance(upload, UploadFile):
        raise Refusal(422, "no-file", "there is no document; send it in the field named file")
    folder = scheduler.new_folder()
    try:
        await save_upload(upload, folder.document, settings.limits)
        return scheduler.submit(folder, shown_name(upload.filename), options)
    except BaseException:
        folder.remove()
        raise


async def _answer(request: Request, job: Job, name: str) -> Response:
    """The result when it comes soon; work for a client that is gone is given up."""
    scheduler, limits = scheduler_of(request), settings_of(request).limits
    try:
        await unless_gone(request, scheduler.opened(job))
        if len(job.pages or []) > limits.wait_pages:
            return job_answer(job)
        if not await unless_gone(request, scheduler.over(job), limits.wait_seconds):
            return job_answer(job)
    except BaseException:
        scheduler.cancel(job)
        raise
    if not job.state.over:
        raise Refusal(503, "shutting-down", "the server was shut down before the document was read")
    return result_answer(job, name)
