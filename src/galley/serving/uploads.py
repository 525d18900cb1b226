"""Documents on their way in: form fields, files, data URLs, and limits on all of them."""

from __future__ import annotations

import base64
import binascii
import re
import shutil
from pathlib import Path
from typing import Any

import anyio
from anyio import to_thread
from fastapi import Request
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from galley.ingest.source import display_name
from galley.serving.refusal import CLIENT_DISCONNECTED, Refusal, answer_refusal
from galley.serving.settings import MEGABYTE, Limits

_FIELD_BYTES = 64 * 1024
_FIELDS = 64
_DATA_URL = re.compile(r"data:[^,;]*(?:;[^,;]*)*?;base64,", re.IGNORECASE)


class BodyLimit:
    """Middleware: a request's body may have so many bytes, told or found out while it is read."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app, self._limits = app, limits
        self._max_bytes = limits.max_bytes * 4 // 3 + MEGABYTE  # a document's as base64, and some more

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; refuse its body once it is too large."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told = dict(scope["headers"]).get(b"content-length", b"0")
        if told.isdigit() and int(told) > self._max_bytes:
            response = await answer_refusal(Request(scope), self._too_large())
            response.headers["Connection"] = "close"
            await response(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._max_bytes:
                raise self._too_large()
            return message

        await self._app(scope, counted, send)

    def _too_large(self) -> Refusal:
        return too_large(self._limits.max_bytes)


def too_large(max_bytes: int) -> Refusal:
    """A document beyond the limit."""
    size = f"{max_bytes / MEGABYTE:.3g} MB"
    return Refusal(413, "too-large", f"the server takes no more than {size}; split the document")


async def read_form(request: Request, limits: Limits) -> FormData:
    """A multipart form; files over a megabyte are on disk. Refuses what is none, and what takes too long."""
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/form-data"):
        raise Refusal(
            415, "not-multipart", "send the document as multipart/form-data with a field named file"
        )
    with within(limits):
        return await request.form(max_files=1, max_fields=_FIELDS, max_part_size=_FIELD_BYTES)


async def read_json(request: Request, limits: Limits) -> dict[str, Any]:
    """A JSON object. Refuses anything else, and what takes too long."""
    with within(limits):
        try:
            data = await request.json()
        except ValueError as error:
            raise Refusal(400, "not-json", f"the body is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise Refusal(400, "not-json", "the body has to be a JSON object")
    return data


class within:
    """Refuses with 408 what takes longer to arrive than ``upload_seconds``."""

    def __init__(self, limits: Limits) -> None:
        self._seconds = limits.upload_seconds

    def __enter__(self) -> None:
        self._scope = anyio.fail_after(self._seconds)
        self._scope.__enter__()

    def __exit__(self, *exc: Any) -> None:
        try:
            self._scope.__exit__(*exc)
        except TimeoutError as error:
            raise Refusal(
                408, "too-slow", f"the request took longer than {self._seconds:g} seconds to arrive"
            ) from error
        if isinstance(exc[1], ClientDisconnect):
            raise Refusal(CLIENT_DISCONNECTED, "client-gone", "the client closed the connection") from exc[1]


async def save_upload(upload: UploadFile, path: Path, limits: Limits) -> None:
    """Copy an upload to a path of the server's own."""
    if upload.size is not None and upload.size > limits.max_bytes:
        raise too_large(limits.max_bytes)

    def copy() -> None:
        with path.open("wb") as target:
            shutil.copyfileobj(upload.file, target, MEGABYTE)

    await to_thread.run_sync(copy)


def shown_name(name: str | None) -> str:
    """What to call a document in messages: the last part of the client's name for it, as one line."""
    last = (name or "").replace("\\", "/").rsplit("/", 1)[-1]
    return display_name(Path(last))[:200] if last.strip(". ") else "document"


def from_data_url(url: str, limits: Limits) -> bytes:
    """The bytes of a base64 data URL, or of plain base64. Refuses what is neither."""
    head = _DATA_URL.match(url)
    text = url[head.end() :] if head else url
    if len(text) * 3 // 4 > limits.max_bytes + 2:
        raise too_large(limits.max_bytes)
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Refusal(422, "bad-data-url", "the image is not a data URL with base64") from error
