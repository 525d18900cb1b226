"""Load on a server: many clients, others that are hostile or killed; every accepted document accounted for.

    python tools/load_serve.py --seconds 120 --clients 64 samples/letter.jpg -- --strategy regions

Starts ``galley serve``, measures pages a second with one client at a time and with all of them, then abuses it. Prints
latencies, the memory of the server and its workers over time, and what became of every request. The exit code is 0
when nothing crashed, nothing was lost and memory did not grow.
"""

from __future__ import annotations

import argparse
import re
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

sys.path.insert(0, str(Path(__file__).parent))

from load_hostile import Crowd, Target, attack, strange

_GROWTH = 1.15
"""The last third of the abuse may take so much more memory than the first."""


@dataclass
class Tally:
    """What became of the requests of some clients. jobs: ids of documents that were answered with a job."""

    answers: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take in another client's."""
        self.answers += other.answers
        self.seconds += other.seconds
        self.jobs += other.jobs
        self.strange += other.strange


@contextmanager
def server(words: list[str]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running ``galley serve`` and its address."""
    command = [sys.executable, "-m", "galley", "serve", "--port", "0", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    try:
        for line in process.stderr:
            if found := re.search(r"serving at (http://\S+)", line):
                rest = threading.Thread(
                    target=lambda: sys.stderr.writelines(process.stderr or []), daemon=True
                )
                rest.start()
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
        tally.strange.append(f"a good document was answered {response.status_code}: {response.text[:200]}")


def pace(url: str, content: bytes, clients: int, seconds: float) -> tuple[float, Tally]:
    """Pages a second that ``clients`` get together, and their tally. All are busy for ``seconds``; documents under
    way then are waited for and count, with the time they take."""
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
        whole.add(tally)
    return len(whole.seconds) / (time.monotonic() - start), whole


def watch_memory(pid: int, over: threading.Event, found: list[tuple[float, float, float]]) -> None:
    """Seconds, megabytes of the server, megabytes of its workers, every two seconds."""
    start = time.monotonic()
    while not over.wait(2.0):
        with suppress(psutil.Error):
            own = psutil.Process(pid)
            workers = sum(child.memory_info().rss for child in own.children())
            found.append((time.monotonic() - start, own.memory_info().rss / 1e6, workers / 1e6))


def growth(memory: list[tuple[float, float, float]]) -> float:
    """Memory of the last third of the time, server and workers together, over that of the first."""
    whole = [own + workers for _, own, workers in memory]
    third = max(1, len(whole) // 3)
    return statistics.median(whole[-third:]) / statistics.median(whole[:third])


def account(url: str, tally: Tally) -> list[str]:
    """Wait until the server has nothing to do; returns what is wrong then."""
    end = time.monotonic() + 600
    while (figures := metrics(url))["galley_queue"] and time.monotonic() < end:
        time.sleep(0.5)
    wrong = list(tally.strange)
    if figures["galley_queue"]:
        wrong.append(f"{figures['galley_queue']:g} requests are still under way")
    ended = sum(value for name, value in figures.items() if name.startswith("galley_jobs_total"))
    if ended != figures["galley_documents_accepted_total"]:
        wrong.append(
            f"{figures['galley_documents_accepted_total']:g} documents were accepted and {ended:g} ended"
        )
    states = Counter(httpx.get(f"{url}/v1/jobs/{id_}", timeout=60).json().get("state") for id_ in tally.jobs)
    if set(states) - {"done"}:
        wrong.append(f"jobs of well-behaved clients: {dict(states)}")
    return wrong


def metrics(url: str) -> dict[str, float]:
    """The server's figures."""
    lines = httpx.get(f"{url}/metrics", timeout=60).text.splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if line[0] != "#")}


def abuse(
    process: subprocess.Popen[str], target: Target, clients: int, hostile: int, seconds: float
) -> list[str]:
    """All clients at once, beside hostile ones; returns what went wrong."""
    over, memory, crowd = threading.Event(), list[tuple[float, float, float]](), Crowd()
    threads = [
        threading.Thread(target=attack, args=(target, hostile, over, crowd)),
        threading.Thread(target=watch_memory, args=(process.pid, over, memory)),
    ]
    for thread in threads:
        thread.start()
    abused, tally = pace(target.url, target.sample, clients, seconds)
    over.set()
    for thread in threads:
        thread.join()
    print(f"{clients} clients beside {hostile} hostile ones: {abused:.3f} pages/s")
    show_times("beside hostile clients", tally.seconds)
    print("answers:", dict(tally.answers))
    print(f"hostile clients: {crowd.killed} killed; answers: {dict(crowd.answers)}")
    wrong = account(target.url, tally) + strange(crowd)
    figures = metrics(target.url)
    shown = ("galley_documents_accepted_total", "galley_jobs_total", "galley_refused_total")
    print("documents:", {name: value for name, value in figures.items() if name.startswith(shown)})
    for second, own, workers in memory[:: max(1, len(memory) // 10)]:
        print(f"{second:6.1f} s: server {own:6.1f} MB, workers {workers:7.1f} MB")
    print(f"memory, last third over first: {growth(memory):.3f}")
    if growth(memory) > _GROWTH:
        wrong.append("memory grew")
    return wrong


def show_times(name: str, seconds: list[float]) -> None:
    """Median and 95th percentile of latencies."""
    if len(seconds) > 1:
        cuts = statistics.quantiles(seconds, n=100, method="inclusive")
        print(f"{name}: p50 {cuts[49]:.2f} s, p95 {cuts[94]:.2f} s over {len(seconds)} documents")


def main() -> int:
    """Measure, abuse, account."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("sample", help="a document of one page")
    parser.add_argument("--seconds", type=float, default=20.0, help="of abuse; a baseline takes half of it")
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--hostile", type=int, default=8, help="clients that are killed and replaced")
    parser.add_argument("--max-mb", type=int, default=5)
    parser.add_argument("serve", nargs="*", help="more words for galley serve, after --")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the server goes too
    content = Path(given.sample).read_bytes()
    words = ["--max-mb", str(given.max_mb), "--wait-seconds", "600", *given.serve]
    with server(words) as (process, url):
        pace(url, content, 4, 1)  # models are loaded at their first page
        alone, single = pace(url, content, 1, given.seconds / 2)
        print(f"one at a time: {alone:.3f} pages/s")
        show_times("one at a time", single.seconds)
        together, _ = pace(url, content, given.clients, given.seconds / 2)
        print(f"{given.clients} clients: {together:.3f} pages/s, {together / alone:.2f} times one at a time")
        target = Target(url, given.max_mb, content)
        wrong = abuse(process, target, given.clients, given.hostile, given.seconds)
        process.send_signal(signal.SIGTERM)
        if code := process.wait(120):
            wrong.append(f"the server ended with {code}")
    print("\n".join(wrong) or "every accepted document was answered or cancelled")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
