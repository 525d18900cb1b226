"""Load on a server: many clients, some of them killed, some slow, some hostile; every accepted request accounted for.

    python tools/load_serve.py --seconds 20 --clients 64 samples/letter.jpg

Starts ``galley serve``, measures pages a second with one client at a time and with all of them, then abuses it. Prints
latencies, the memory of the server and its workers over time, and what became of every request. The exit code is 0
when nothing crashed and nothing was lost.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

HOSTILE: list[tuple[str, bytes]] = [
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


@dataclass
class Tally:
    """What became of the requests of some clients."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)


@contextmanager
def server(words: list[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running ``galley serve`` and its address."""
    command = [sys.executable, "-m", "galley", "serve", "--port", "0", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        for line in process.stderr:
            if found := re.search(r"serving at (http://\S+)", line):
                threading.Thread(
                    target=lambda: sys.stderr.writelines(process.stderr or []), daemon=True
                ).start()
                yield process, found[1]
                return
        raise SystemExit("the server did not start")
    finally:
        process.kill()
        process.wait()


def parse(client: httpx.Client, content: bytes, tally: Tally) -> None:
    """One document, sent and waited for; a full queue is waited out."""
    start = time.monotonic()
    response = client.post("/v1/parse", files={"file": ("page", content)}, data={"format": "markdown"})
    tally.answers[str(response.status_code)] += 1
    if response.status_code == 200:
        tally.seconds.append(time.monotonic() - start)
    elif response.status_code == 202:
        tally.jobs.append(response.json()["id"])
    elif response.status_code == 429:
        time.sleep(min(2.0, float(response.headers["Retry-After"])))
    else:
        tally.strange.append(response.text[:200])


def pace(url: str, content: bytes, clients: int, seconds: float) -> tuple[float, Tally]:
    """Pages a second that ``clients`` get together, and their tally."""
    tallies = [Tally() for _ in range(clients)]
    start = time.monotonic()

    def work(tally: Tally) -> None:
        with httpx.Client(base_url=url, timeout=600) as client:
            while time.monotonic() - start < seconds:
                parse(client, content, tally)

    threads = [threading.Thread(target=work, args=(tally,)) for tally in tallies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = Tally()
    for tally in tallies:
        whole.answers += tally.answers
        whole.seconds += tally.seconds
        whole.jobs += tally.jobs
        whole.strange += tally.strange
    return len(whole.seconds) / (time.monotonic() - start), whole


def hostile(url: str, max_mb: int) -> None:
    """One hostile client: uploads that are none, too large, too slow, or read by nobody. Runs until it is killed."""
    while True:
        with suppress(httpx.HTTPError, OSError):
            random.choice((_rubbish, _oversize, _half, _slow_reader, _job_left_alone))(url, max_mb)


def _rubbish(url: str, max_mb: int) -> None:
    name, content = random.choice(HOSTILE)
    response = httpx.post(f"{url}/v1/parse", files={"file": (name, content)}, timeout=600)
    assert response.status_code in (200, 413, 422, 429), response.text


def _oversize(url: str, max_mb: int) -> None:
    def chunks() -> Iterator[bytes]:
        yield b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
        for _ in range(2 * max_mb):
            yield bytes(1 << 20)

    headers = {"content-type": "multipart/form-data; boundary=x"}
    httpx.post(f"{url}/v1/parse", content=chunks(), headers=headers, timeout=600)


def _half(url: str, max_mb: int) -> None:
    """Half an upload, and gone."""
    with _connected(url) as connection:
        head = "POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=x\r\n"
        connection.sendall(f"{head}Content-Length: 100000\r\n\r\n--x\r\n".encode())
        time.sleep(random.random())


def _slow_reader(url: str, max_mb: int) -> None:
    """Asks for much and reads a byte at a time."""
    with _connected(url) as connection:
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
        for _ in range(20):
            connection.recv(1)
            time.sleep(0.1)


def _job_left_alone(url: str, max_mb: int) -> None:
    """A job whose events are listened to and then not any more."""
    content = Path(SAMPLE).read_bytes()
    response = httpx.post(f"{url}/v1/parse", files={"file": content}, data={"wait": "false"}, timeout=600)
    if response.status_code == 202:
        with httpx.stream("GET", f"{url}{response.json()['links']['events']}", timeout=600) as events:
            next(events.iter_raw(), None)


def _connected(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


SAMPLE = ""


def _start_hostile(url: str, max_mb: int, sample: str) -> None:
    global SAMPLE
    SAMPLE = sample
    hostile(url, max_mb)


def kill_and_replace(url: str, max_mb: int, sample: str, count: int, over: threading.Event) -> None:
    """Keep ``count`` hostile clients alive and kill one after the other as ``kill -9`` does."""
    context = multiprocessing.get_context("spawn")

    def hire() -> Any:
        process = context.Process(target=_start_hostile, args=(url, max_mb, sample), daemon=True)
        process.start()
        return process

    crowd = [hire() for _ in range(count)]
    while not over.wait(1.0):
        victim = crowd.pop(random.randrange(len(crowd)))
        victim.kill()
        victim.join()
        crowd.append(hire())
    for process in crowd:
        process.kill()
        process.join()


def watch_memory(pid: int, over: threading.Event, found: list[tuple[float, float, float]]) -> None:
    """Seconds, megabytes of the server, megabytes of its workers, every two seconds."""
    start = time.monotonic()
    while not over.wait(2.0):
        with suppress(psutil.Error):
            own = psutil.Process(pid)
            workers = sum(child.memory_info().rss for child in own.children())
            found.append((time.monotonic() - start, own.memory_info().rss / 1e6, workers / 1e6))


def account(url: str, tally: Tally) -> list[str]:
    """Wait until the server has nothing to do; returns what is wrong then."""
    end = time.monotonic() + 600
    while (figures := metrics(url))["galley_queue"] and time.monotonic() < end:
        time.sleep(0.5)
    wrong = list(tally.strange)
    if figures["galley_queue"]:
        wrong.append(f"{figures['galley_queue']:g} requests are still under way")
    states = Counter(httpx.get(f"{url}/v1/jobs/{id_}", timeout=60).json().get("state") for id_ in tally.jobs)
    if set(states) - {"done"}:
        wrong.append(f"jobs of well-behaved clients: {dict(states)}")
    return wrong


def metrics(url: str) -> dict[str, float]:
    """The server's figures."""
    lines = httpx.get(f"{url}/metrics", timeout=60).text.splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def show_times(name: str, seconds: list[float]) -> None:
    if len(seconds) > 1:
        cuts = statistics.quantiles(seconds, n=100, method="inclusive")
        print(f"{name}: p50 {cuts[49]:.2f} s, p95 {cuts[94]:.2f} s over {len(seconds)} documents")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sample", help="a document of one page")
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="length of the abuse; a baseline takes half of it"
    )
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=int, default=8, help="clients that are killed and replaced")
    parser.add_argument("--max-mb", type=int, default=5)
    parser.add_argument("serve", nargs="*", help="more words for galley serve, after --")
    given = parser.parse_args()
    content = Path(given.sample).read_bytes()
    words = ["--max-mb", str(given.max_mb), "--wait-seconds", "600", *given.serve]
    with server(words) as (process, url):
        pace(url, content, 4, 1)  # models are loaded at their first page
        alone, single = pace(url, content, 1, given.seconds / 2)
        print(f"one at a time: {alone:.3f} pages/s")
        show_times("one at a time", single.seconds)
        together, _ = pace(url, content, given.clients, given.seconds / 2)
        print(f"{given.clients} clients: {together:.3f} pages/s, {together / alone:.2f} times one at a time")
        over, memory = threading.Event(), list[tuple[float, float, float]]()
        helpers: list[tuple[Callable[..., None], tuple[Any, ...]]] = [
            (kill_and_replace, (url, given.max_mb, given.sample, given.hostile, over)),
            (watch_memory, (process.pid, over, memory)),
        ]
        threads = [threading.Thread(target=target, args=arguments) for target, arguments in helpers]
        for thread in threads:
            thread.start()
        abused, tally = pace(url, content, given.clients, given.seconds)
        over.set()
        for thread in threads:
            thread.join()
        wrong = account(url, tally)
        print(f"{given.clients} clients beside {given.hostile} hostile ones: {abused:.3f} pages/s")
        show_times("beside hostile clients", tally.seconds)
        print("answers:", dict(tally.answers))
        figures = metrics(url)
        print("documents by end:", {k: v for k, v in figures.items() if k.startswith("galley_jobs_total")})
        for second, own, workers in memory[:: max(1, len(memory) // 10)]:
            print(f"{second:6.1f} s: server {own:6.1f} MB, workers {workers:7.1f} MB")
        process.send_signal(signal.SIGTERM)
        if code := process.wait(120):
            wrong.append(f"the server ended with {code}")
    print("\n".join(wrong) or "every accepted request was answered")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
