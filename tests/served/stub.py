"""An OpenAI-compatible server on a real socket that behaves as badly as a test wants."""

from __future__ import annotations

import base64
import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

KEY = "sk-very-secret"


@dataclass
class Reply:
    """What the server does with one request. wait: seconds before it answers."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    cut: bool = False
    """break off the connection in the middle of the body"""


def says(text: str | None, finish: str = "stop", **more: Any) -> Reply:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return Reply(json.dumps({"choices": [choice], "usage": {"completion_tokens": 7}, **more}).encode())


@dataclass
class Asked:
    """One chat request as it arrived."""

    model: str
    words: str
    size: tuple[int, int]
    max_tokens: int
    headers: dict[str, str]


@dataclass
class Stub:
    """A running server; ``behave`` decides on the reply to a request, given all so far."""

    behave: Callable[[Asked, list[Asked]], Reply]
    models: Reply = field(default_factory=lambda: Reply(b'{"data": [{"id": "stub"}]}'))
    asked: list[Asked] = field(default_factory=list)
    open: int = 0
    most_open: int = 0
    broken_off: int = 0
    port: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def model(self) -> str:
        return f"openai:http://127.0.0.1:{self.port}/v1#stub"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    stub: Stub

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._send(self.stub.models)

    def do_POST(self) -> None:
        asked = self._read(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        stub = self.stub
        with stub.lock:
            stub.asked.append(asked)
            stub.open += 1
            stub.most_open = max(stub.most_open, stub.open)
            reply = stub.behave(asked, stub.asked)
        time.sleep(reply.wait)
        with stub.lock:
            stub.open -= 1
        self._send(reply)

    def _read(self, body: dict[str, Any]) -> Asked:
        image, *words = body["messages"][0]["content"]
        data = image["image_url"]["url"].removeprefix("data:image/png;base64,")
        with Image.open(io.BytesIO(base64.b64decode(data))) as picture:
            size = picture.size
        text = words[0]["text"] if words else ""
        return Asked(body["model"], text, size, body["max_tokens"], dict(self.headers))

    def _send(self, reply: Reply) -> None:
        try:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body) + (100 if reply.cut else 0)))
            self.end_headers()
            self.wfile.write(reply.body)
            self.wfile.flush()
            if reply.cut:
                self.close_connection = True
                self.connection.shutdown(2)
        except OSError:
            self.close_connection = True
            with self.stub.lock:
                self.stub.broken_off += 1


@contextmanager
def serving(behave: Callable[[Asked, list[Asked]], Reply], **settings: Any) -> Iterator[Stub]:
    """A server while the block runs."""
    stub = Stub(behave, **settings)
    handler = type("Handler", (_Handler,), {"stub": stub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    stub.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
