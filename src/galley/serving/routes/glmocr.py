"""``POST /glmocr/parse`` and ``GET /health`` as GLM-OCR's SDK server answers them."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any
from uuid import uuid4

from anyio import to_thread
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from galley.document.exporters import exporter
from galley.errors import UsageError
from galley.parsing.options import ParseOptions, overlay
from galley.serving.intake import saver_of, take
from galley.serving.jobs import Job, State
from galley.serving.refusal import Refusal
from galley.serving.routes.common import (
    cancelled_with,
    require_ended,
    scheduler_of,
    settings_of,
    unless_disconnected,
)
from galley.serving.uploads import read_json

router = APIRouter()
_BETWEEN = "\n\n---\n\n"
"""What parts the Markdown of several documents."""
_MOST_IMAGES = 100


@router.get("/health")
async def health() -> dict[str, str]:
    """Whether the server is up."""
    return {"status": "ok"}


@router.post("/glmocr/parse")
async def parse(request: Request) -> JSONResponse:
    """Parse ``images`` (or ``file``): data URLs, base64, or web addresses where they are allowed.

    ``start_page_id`` and ``end_page_id`` choose pages, counted from 1. Each entry is a document of its own.
    """
    scheduler, settings = scheduler_of(request), settings_of(request)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refusal(400, "not-json", "Invalid Content-Type. Expected 'application/json'.")
    jobs: list[Job] = []
    with cancelled_with(scheduler, jobs):
        with scheduler.admitted():
            data = await read_json(request, settings.limits)
            places, options = _places(data), _options(data, settings.options)
            jobs.append(await take(scheduler, saver_of(places[0], settings), options))
        for place in places[1:]:
            with scheduler.admitted():
                jobs.append(await take(scheduler, saver_of(place, settings), options))
        await unless_disconnected(request, _wait_all_ended(request, jobs))
    for job in jobs:
        require_ended(job)
    results = [await to_thread.run_sync(_result, job) for job in jobs]
    if len(results) == 1:
        return JSONResponse(_body(*results[0]))
    return JSONResponse(_body([pages for pages, _ in results], _BETWEEN.join(text for _, text in results)))


def _places(data: dict[str, Any]) -> list[str]:
    given = data.get("images") or data.get("file") or []
    places = [given] if isinstance(given, str) else given
    if not isinstance(places, list) or not places or not all(isinstance(p, str) and p for p in places):
        raise Refusal(400, "no-images", "No images provided")
    if len(places) > _MOST_IMAGES:
        raise Refusal(413, "too-many", f"at most {_MOST_IMAGES} images at a time")
    return places


def _options(data: dict[str, Any], base: ParseOptions) -> ParseOptions:
    first, last = data.get("start_page_id"), data.get("end_page_id")
    if first is None and last is None:
        return base
    try:
        return overlay(base, pages=f"{first or 1}-{last or ''}")
    except UsageError as error:
        raise Refusal(422, "bad-option", str(error)) from error


async def _wait_all_ended(request: Request, jobs: list[Job]) -> None:
    await asyncio.gather(*(scheduler_of(request).wait_ended(job) for job in jobs))


def _result(job: Job) -> tuple[list[Any], str]:
    """A job's pages and Markdown. Refused as a whole where it failed: the form has no place to say so."""
    if job.state is not State.DONE:
        failures = "; ".join(failure.message for failure in job.failures[:3])
        raise Refusal(job.status, "unreadable", f"Parse error: {failures or job.state.value}")
    pages = json.loads(job.folder.result(exporter("glmocr")).read_bytes())
    return pages, job.folder.result(exporter("md")).read_text("utf-8")


def _body(pages: list[Any], markdown: str) -> dict[str, Any]:
    """The SDK's fields and those of the hosted service.

    ``data_info`` names no page sizes: with them the SDK's client would take boxes for pixels.
    """
    return {
        "json_result": pages,
        "markdown_result": markdown,
        "layout_details": pages,
        "md_results": markdown,
        "data_info": {"pages": []},
        "usage": {},
        "model": "glm-ocr",
        "id": f"chatcmpl-{uuid4().hex[:29]}",
        "created": int(time.time()),
    }
