"""A small server with the interface the web page uses; which document it "reads" is chosen by the file's name."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import uvicorn
from made_documents import MadeDocument, hostile, image, no_proof, plain_page, proof, report
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from galley.document import Document
from galley.document.exporters import EXPORTERS
from galley.serving.web import add_web_page

ATTACK = "<img src=x onerror=\"window.hit=1\"><script>window.hit=1</script><svg onload='window.hit=1'>"

DOCUMENTS: dict[str, Callable[[], MadeDocument]] = {
    "report": report,
    "slow": lambda: MadeDocument([plain_page(n) for n in range(1, 7)], gated=True),
    "long": lambda: MadeDocument([plain_page(n) for n in range(1, 1001)]),
    "draft": lambda: MadeDocument([plain_page(1)], with_proof=False),
    "hostile": lambda: hostile(ATTACK),
}


@dataclass
class FakeJob:
    id: str
    name: str
    document: MadeDocument
    options: dict[str, str]
    pages_done: int = 0
    cancelled: bool = False
    released: int = 0

    @property
    def state(self) -> str:
        if self.pages_done == len(self.document.pages):
            return "done"
        return "cancelled" if self.cancelled else "running"

    def view(self) -> dict[str, Any]:
        final = self.state == "done"
        return {
            "id": self.id,
            "name": self.name,
            "state": self.state,
            "pages_done": self.pages_done,
            "pages_total": len(self.document.pages),
            "failures": self.document.failures if final else [],
            "stats": {"pages_per_second": 1.75, "tokens": 1234, "forwards": 210, "tpf": 5.9, "speedup": 4.2},
        }

    def result(self) -> Document:
        return Document(source=self.name, page_count=len(self.document.pages), pages=self.document.pages)


@dataclass
class FakeGalley:
    """Runs in a thread of this process. ``key``: the API key it wants, if any. ``full``: uploads it refuses as
    too many before it takes the next."""

    key: str | None = None
    full: int = 0
    jobs: dict[str, FakeJob] = field(default_factory=dict)
    refused: int = 0

    def __post_init__(self) -> None:
        app = Starlette(
            routes=[
                Route("/v1/parse", self._parse, methods=["POST"]),
                Route("/v1/formats", self._formats),
                Route("/v1/jobs/{id}", self._job, methods=["GET"]),
                Route("/v1/jobs/{id}", self._cancel, methods=["DELETE"]),
                Route("/v1/jobs/{id}/events", self._events),
                Route("/v1/jobs/{id}/result", self._result),
                Route("/v1/jobs/{id}/pages/{n:int}/{what}", self._page),
            ]
        )
        add_web_page(app)
        config = uvicorn.Config(app, port=0, log_level="critical", timeout_graceful_shutdown=1)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(5)

    def release(self, pages: int) -> None:
        """Let the newest job read so many pages more."""
        list(self.jobs.values())[-1].released += pages

    def _refusal(self, request: Request) -> Response | None:
        if self.key and request.headers.get("Authorization") != f"Bearer {self.key}":
            self.refused += 1
            return _error(401, "an API key is needed: send Authorization: Bearer KEY")
        return None

    async def _parse(self, request: Request) -> Response:
        if refusal := self._refusal(request):
            return refusal
        form = await request.form()
        upload = form["file"]
        assert not isinstance(upload, str)
        stem = PurePath(upload.filename or "").stem
        if self.full:
            self.full -= 1
            return JSONResponse(_body("too many jobs wait"), 429, headers={"Retry-After": "1"})
        if stem not in DOCUMENTS:
            return _error(415, f"{upload.filename} is not a document Galley can read")
        options = {name: str(value) for name, value in form.items() if name != "file"}
        job = FakeJob(f"job{len(self.jobs)}", upload.filename or "", DOCUMENTS[stem](), options)
        self.jobs[job.id] = job
        return JSONResponse(job.view(), 202)

    async def _formats(self, request: Request) -> Response:
        known = [
            {"name": one.name, "title": one.title, "suffix": one.suffix}
            for one in EXPORTERS.values()
            if not one.package
        ]
        return self._refusal(request) or JSONResponse({"formats": known})

    async def _job(self, request: Request) -> Response:
        job = self.jobs.get(request.path_params["id"])
        return self._refusal(request) or (JSONResponse(job.view()) if job else _error(404, "no such job"))

    async def _cancel(self, request: Request) -> Response:
        job = self.jobs[request.path_params["id"]]
        job.cancelled = True
        return JSONResponse(job.view())

    async def _events(self, request: Request) -> Response:
        if refusal := self._refusal(request):
            return refusal
        job = self.jobs[request.path_params["id"]]
        return StreamingResponse(_stream(job), media_type="text/event-stream")

    async def _result(self, request: Request) -> Response:
        document = self.jobs[request.path_params["id"]].result()
        return PlainTextResponse(document.export(request.query_params["format"]))

    async def _page(self, request: Request) -> Response:
        if refusal := self._refusal(request):
            return refusal
        document = self.jobs[request.path_params["id"]].document
        page = document.pages[request.path_params["n"] - 1]
        what = request.path_params["what"]
        if what == "image":
            return Response(await asyncio.to_thread(image, page), media_type="image/png")
        if what == "markdown":
            return PlainTextResponse(Document(pages=[page]).to_markdown())
        return JSONResponse(proof(page) if document.with_proof else no_proof(page))


async def _stream(job: FakeJob) -> AsyncIterator[str]:
    yield _event("progress", job.view())
    for page in job.document.pages:
        while job.document.gated and job.released < page.number and not job.cancelled:
            await asyncio.sleep(0.01)
        if job.cancelled:
            break
        job.pages_done = max(job.pages_done, page.number)
        told = page.model_dump(mode="json", exclude_none=True)
        sizes = {"number": page.number, "width": page.width, "height": page.height}
        yield _event("page", sizes | {"page": told})
        yield _event("progress", job.view())
    yield _event("end", job.view())


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def _body(message: str) -> dict[str, Any]:
    return {"error": {"message": message}}


def _error(status: int, message: str) -> Response:
    return JSONResponse(_body(message), status)
