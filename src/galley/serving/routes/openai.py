"""``/v1/chat/completions`` and ``/v1/models``: Galley as a model server that reads images of regions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from galley.serving.chat import Chat, Completion, read_chat
from galley.serving.intake import saver_of
from galley.serving.refusal import Refusal, error_body
from galley.serving.routes.common import scheduler_of, settings_of, unless_disconnected
from galley.serving.scheduler import Scheduler
from galley.serving.tasks import Counts, Delta, ReadRegion, RegionRead
from galley.serving.uploads import read_json

router = APIRouter()
_NO_IMAGE = (
    "Galley reads images of documents: send one as image_url, with a prompt such as 'Text Recognition:'."
)


@router.get("/v1/models")
async def models(request: Request) -> dict[str, Any]:
    """The one model there is."""
    entry = {"id": _name(request), "object": "model", "created": 0, "owned_by": "galley"}
    return {"object": "list", "data": [entry]}


@router.post("/v1/chat/completions")
async def complete(request: Request) -> Response:
    """Read the image of the last message.

    The prompts ``Text Recognition:``, ``Table Recognition:`` and ``Formula Recognition:`` ask for a region's text,
    HTML and LaTeX, any other for a page's Markdown.
    """
    scheduler, settings = scheduler_of(request), settings_of(request)
    with ExitStack() as stack:
        stack.enter_context(scheduler.admitted())
        chat = read_chat(await read_json(request, settings.limits))
        completion = Completion(_name(request))
        if chat.image is None:  # clients knock so to see whether a server is up
            return JSONResponse(completion.whole(RegionRead(_NO_IMAGE, "stop", Counts())))
        folder = scheduler.new_folder()
        stack.callback(folder.remove)
        await saver_of(chat.image, settings)(folder.document)
        client = request.client.host if request.client else ""
        reading = _Reading(scheduler, chat.task(folder.document, settings.options, client, folder.path.name))
        stack.callback(reading.cancel)
        if chat.stream:
            await unless_disconnected(request, reading.first_text())
            return _Stream(_events(reading, completion, chat), stack.pop_all())
        await unless_disconnected(request, reading.ended())
        return JSONResponse(completion.whole(reading.result()))


def _name(request: Request) -> str:
    return settings_of(request).options.model or "galley"


class _Reading:
    """A region that is being read, and its text as it comes."""

    def __init__(self, scheduler: Scheduler, task: ReadRegion) -> None:
        self._texts: asyncio.Queue[str | None] = asyncio.Queue()
        self._first: list[str | None] = []
        self._task = asyncio.ensure_future(scheduler.read_region(task, self._take_delta))
        self._task.add_done_callback(lambda _: self._texts.put_nowait(None))

    def _take_delta(self, delta: Delta) -> None:
        self._texts.put_nowait(delta.text)

    async def first_text(self) -> None:
        """Wait for the first text; raises what kept it from coming, so that it can still be a status."""
        self._first.append(await self._texts.get())
        if self._first == [None]:
            self._task.result()

    async def ended(self) -> None:
        """Wait for the end."""
        await asyncio.wait({self._task})

    async def texts(self) -> AsyncIterator[str]:
        """Texts as they come."""
        while (text := self._first.pop() if self._first else await self._texts.get()) is not None:
            yield text

    def result(self) -> RegionRead:
        """The whole; raises ``Refusal`` where reading failed."""
        return self._task.result()

    def cancel(self) -> None:
        self._task.cancel()


async def _events(reading: _Reading, completion: Completion, chat: Chat) -> AsyncIterator[str]:
    yield _event(completion.chunk({"role": "assistant", "content": ""}))
    async for text in reading.texts():
        yield _event(completion.chunk({"content": text}))
    try:
        read = reading.result()
    except Refusal as error:
        yield _event(error_body(error.code, error.message))
        return
    yield _event(completion.chunk({}, read.finish))
    if chat.usage:
        yield _event(completion.usage(read))
    yield "data: [DONE]\n\n"


def _event(data: object) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


class _Stream(StreamingResponse):
    """Server-sent events; whatever happens to the client, what the request held is let go of at the end."""

    def __init__(self, events: AsyncIterator[str], held: ExitStack) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._held:
            await super().__call__(scope, receive, send)
