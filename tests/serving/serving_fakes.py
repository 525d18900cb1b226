"""Documents that say what is to happen to them, and a server in this process that does it."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from scripted_parser import ScriptedParser

from galley.parsing.options import ParseOptions
from galley.serving.app import make_app
from galley.serving.settings import Settings

sys.path.insert(0, str(Path(__file__).parent.parent / "ingest"))

from pdf_maker import PdfPage, make_pdf, text_at


def pdf(*pages: str) -> bytes:
    """A PDF whose pages say these texts."""
    return make_pdf(*[PdfPage(text_at(72, 700, text), box=(0, 0, 400, 792)) for text in pages])


@dataclass
class Served:
    """A running server, a client for it, and the file that pages wait for."""

    url: str
    client: httpx.Client
    gate: Path
    app: Any

    def post(self, content: bytes, name: str = "a.pdf", **fields: str) -> httpx.Response:
        return self.client.post("/v1/parse", files={"file": (name, content)}, data=fields)

    def submit(self, content: bytes, **fields: str) -> str:
        """Post a document as a job and return its id."""
        response = self.post(content, wait="false", **fields)
        assert response.status_code == 202, response.text
        return str(response.json()["id"])

    def job(self, id_: str) -> dict[str, Any]:
        return dict(self.client.get(f"/v1/jobs/{id_}").json())

    def until(self, id_: str, *states: str, seconds: float = 120) -> dict[str, Any]:
        """The job once it is in one of these states."""
        end = time.monotonic() + seconds
        while (job := self.job(id_))["state"] not in states:
            assert time.monotonic() < end, job
            time.sleep(0.1)
        return job

    def open(self) -> None:
        """Let waiting pages go on."""
        self.gate.touch()


@contextlib.contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[Served]:
    """A server with an scripted_parser parser, in a thread."""
    gate = folder / "gate"
    given = {
        "workers": 1,
        "factory": partial(ScriptedParser, gate=gate),
        "state_dir": folder / "state",
    } | settings
    given.setdefault("options", ParseOptions(dpi=50))  # pages are cheap
    app = make_app(Settings(**given))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        with httpx.Client(base_url=url, timeout=120) as client:
            yield Served(url, client, gate, app)
    finally:
        server.should_exit = True  # pages that wait are cut off where they are
        thread.join()


def events(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """Server-sent events as dictionaries of their fields."""
    event: dict[str, str] = {}
    for line in lines:
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            event[name] = value
        elif event:
            yield event
            event = {}
