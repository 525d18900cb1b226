"""Clients that mean no good, for ``load_serve.py``: rubbish, too much, too slow, and gone in the middle."""

from __future__ import annotations

import multiprocessing
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import httpx

RUBBISH: list[tuple[str, bytes]] = [
    ("empty", b""),
    ("zip", b"PK\x03\x04" + bytes(1000)),
    ("cut.pdf", b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\n"),
    ("loop.pdf", b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>endobj\ntrailer<</Root 1 0 R>>"),
    (
        "bomb.png",
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x0f\xff\xff\x00\x0f\xff\xff\x08\x02\x00\x00\x00"
        + bytes(99),
    ),
    ("../../../etc/passwd", b"\xff\xd8\xff\xe0 not a picture"),
]
_ANSWERS = {200, 202, 408, 413, 422, 429, 503}
"""Statuses that hostile requests may earn. Anything else is the server's fault."""


@dataclass(frozen=True)
class Target:
    """A server under attack. max_mb: what it takes. sample: a document it can read."""

    url: str
    max_mb: int
    sample: bytes


@dataclass
class Crowd:
    """What became of the hostile clients."""

    killed: int = 0
    answers: Counter[str] = field(default_factory=Counter)


def _rubbish(target: Target) -> int:
    return httpx.post(
        f"{target.url}/v1/parse", files={"file": random.choice(RUBBISH)}, timeout=600
    ).status_code


def _oversize(target: Target) -> int:
    def chunks() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        for _ in range(2 * target.max_mb):
            yield bytes(1 << 20)

    headers = {"content-type": "multipart/form-data; boundary=x"}
    return httpx.post(f"{target.url}/v1/parse", content=chunks(), headers=headers, timeout=600).status_code


def _half(target: Target) -> int:
    """Half an upload, and gone."""
    with _connected(target.url) as connection:
        head = "POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        connection.sendall(f"{head}Content-Length: 100000\r\n\r\n--x\r\n".encode())
        time.sleep(random.random())
    return 0


def _slow_reader(target: Target) -> int:
    """Asks for much and reads a byte at a time."""
    with _connected(target.url) as connection:
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
        for _ in range(20):
            connection.recv(1)
            time.sleep(0.1)
    return 0


def _waiting(target: Target) -> int:
    """A good document that is waited for, by a client that may be killed before it is read."""
    return httpx.post(f"{target.url}/v1/parse", files={"file": target.sample}, timeout=600).status_code


def _left_alone(target: Target) -> int:
    """A job whose events are asked for and not read."""
    fields = {"wait": "false"}
    response = httpx.post(f"{target.url}/v1/parse", files={"file": target.sample}, data=fields, timeout=600)
    if response.status_code == 202:
        with _connected(target.url) as connection:
            connection.sendall(
                f"GET {response.json()['links']['events']} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
            )
            time.sleep(5 * random.random())
    return response.status_code


_ACTIONS: list[Callable[[Target], int]] = [_rubbish, _oversize, _half, _slow_reader, _waiting, _left_alone]


def _connected(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def _be_hostile(target: Target, answers: Any) -> None:
    """One hostile client. Runs until it is killed."""
    while True:
        status = 0
        with suppress(httpx.HTTPError, OSError):  # the server may hang up on it
            status = random.choice(_ACTIONS)(target)
        answers.put(status)


def attack(target: Target, count: int, over: threading.Event, crowd: Crowd) -> None:
    """Keep ``count`` hostile clients at it; each second one of them is killed as ``kill -9`` does, and replaced."""
    context = multiprocessing.get_context("spawn")

    def start() -> tuple[Any, Any]:
        answers = context.SimpleQueue()  # of its own: a killed writer would lock a shared one
        process = context.Process(target=_be_hostile, args=(target, answers), daemon=True)
        process.start()
        return process, answers

    def kill(process: Any, answers: Any) -> None:
        process.kill()
        process.join()
        crowd.killed += 1
        while not answers.empty():
            if status := answers.get():
                crowd.answers[str(status)] += 1

    clients = [start() for _ in range(count)]
    while not over.wait(1.0):
        kill(*clients.pop(random.randrange(len(clients))))
        clients.append(start())
    for client in clients:
        kill(*client)


def strange(crowd: Crowd) -> list[str]:
    """What hostile clients were answered and should not have been."""
    return [
        f"{n} hostile requests were answered {s}" for s, n in crowd.answers.items() if int(s) not in _ANSWERS
    ]
