"""A parser that does what a page tells it to do, documents that tell it, and a server in this process."""

from __future__ import annotations

import contextlib
import os
import signal
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

from galley.document import BBox, Block, Label, Page
from galley.ingest.page import PageImage
from galley.serving.app import make_app
from galley.serving.settings import Settings

sys.path.insert(0, str(Path(__file__).parent.parent / "ingest"))

from pdf_maker import PdfPage, make_pdf, text_at


class Obedient:
    """A page is its text. Pages that say so wait for a file, sleep, fail, or take the process down."""

    def __init__(self, options: object, image_sink: Any, gate: Path) -> None:
        self._gate = gate
        self._sink = image_sink

    def parse_page(self, page: PageImage) -> Page:
        words = [word.text for word in page.text.words]
        order = words[0] if words else ""
        if order == "wait":
            while not self._gate.exists():
                time.sleep(0.01)
        elif order == "sleep":
            time.sleep(float(words[1]))
        elif order == "fail":
            raise ZeroDivisionError("as it was told")
        elif order == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        height, width = page.image.shape[:2]
        box = BBox(x0=0, y0=0, x1=width, y1=height)
        blocks = [Block(label=Label.TEXT, bbox=box, content=" ".join(words))]
        if self._sink:
            name = self._sink(f"page-{page.number}-figure-1", page.image[:20, :30])
            blocks.append(Block(label=Label.FIGURE, bbox=box, image=name))
        return Page(number=page.number, width=width, height=height, dpi=page.dpi, blocks=blocks)


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

    def until(self, id_: str, *states: str, seconds: float = 30) -> dict[str, Any]:
        """The job once it is in one of these states."""
        end = time.monotonic() + seconds
        while (job := self.job(id_))["state"] not in states:
            assert time.monotonic() < end, job
            time.sleep(0.02)
        return job

    def open(self) -> None:
        """Let waiting pages go on."""
        self.gate.touch()


@contextlib.contextmanager
def serving(folder: Path, **settings: Any) -> Iterator[Served]:
    """A server with an obedient parser, in a thread."""
    gate = folder / "gate"
    given = {"workers": 1, "factory": partial(Obedient, gate=gate), "state_dir": folder / "state"} | settings
    app = make_app(Settings(**given))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        with httpx.Client(base_url=url, timeout=60) as client:
            yield Served(url, client, gate, app)
    finally:
        gate.touch()
        server.should_exit = True
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
