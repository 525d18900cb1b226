"""``--engine ray``: how a cluster is shared out, and what workers that die leave behind: nothing amiss."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))

from ray_fakes import DEATH_NOTE, DiesOnTwo, Words
from running import numbered

from galley.cli.parse_run import Request, run_parse
from galley.errors import GalleyError, ModelError, UsageError
from galley.parsing.options import ParseOptions, make_options
from galley.workers.page_worker import PageTask
from galley.workers.protocol import Aborted, Order, WorkerDied
from galley.workers.ray import ray_pool
from galley.workers.ray.capacity import Capacity, plan_workers

needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
HERE = Path(__file__).parent
PAGES = 200

NODES = [{"CPU": 8.0, "GPU": 2.0}, {"CPU": 4.0}, {"memory": 1e9}]


@pytest.mark.parametrize(
    ("nodes", "options", "jobs", "capacity"),
    [
        (NODES, {}, None, Capacity(12)),
        (NODES, {}, 5, Capacity(5)),
        (NODES, {"model": "m"}, 0, Capacity(2, gpus=1)),
        (NODES, {"model": "m", "device": "cpu"}, None, Capacity(2, cpus=4)),
        (NODES[1:], {"model": "m"}, None, Capacity(1, cpus=4)),
        (NODES[1:], {"model": "m"}, 8, Capacity(8, cpus=1)),
    ],
)
def test_a_cluster_is_shared_out(
    nodes: list[dict[str, float]], options: dict[str, str], jobs: int | None, capacity: Capacity
) -> None:
    assert plan_workers(nodes, make_options(**options), jobs) == capacity


def test_threads_of_a_worker() -> None:
    assert (Capacity(1, cpus=4).threads, Capacity(1, gpus=1).threads) == (4, None)
    with pytest.raises(GalleyError, match="no CPUs"):
        plan_workers([{"GPU": 1.0}], ParseOptions(), None)


def test_what_is_wrong_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def ask(**more: object) -> None:
        run_parse(Request(["a.pdf"], ParseOptions(), ["md"], tmp_path / "out", **more))  # type: ignore[arg-type]

    with pytest.raises(UsageError, match="no engine 'spark'; there are local and ray"):
        ask(engine="spark")
    with pytest.raises(UsageError, match="add --engine ray"):
        ask(address="auto")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"pip install 'galley-ocr\[ray\]'"):
        ask(engine="ray")
    assert not (tmp_path / "out").exists()


@needs_ray
@pytest.mark.parametrize("address", ["ray://head:10001", "head", ":1", "head:", "head:99999", "a b:1"])
def test_addresses_that_are_none(address: str) -> None:
    with (
        pytest.raises(UsageError, match="--address takes HOST:PORT"),
        ray_pool(ParseOptions(), Words, 1, address),
    ):
        pass


@needs_ray
def test_an_address_where_nothing_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with (
            pytest.raises(GalleyError, match=f"no Ray cluster answers at {address}: Connection refused"),
            ray_pool(ParseOptions(), Words, 1, address),
        ):
            pass


@needs_ray
def test_a_slow_start_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from ray._private import services

    from galley.workers.ray import cluster

    answers = [RuntimeError("not yet"), RuntimeError("not yet"), {"NodeID": "a"}]

    def look(*args: object) -> object:
        answer = answers.pop(0)
        if isinstance(answer, RuntimeError):
            raise answer
        return answer

    monkeypatch.setattr(services, "get_node", look)
    monkeypatch.setattr(cluster.time, "sleep", lambda seconds: None)
    with cluster._slow_start():
        assert services.get_node("address", "a") == {"NodeID": "a"}
    assert services.get_node is look


@needs_ray
def test_what_is_wrong_with_a_machine_is_told_from_what_is_wrong_with_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import ray
    from ray.exceptions import RayTaskError

    from galley.workers.ray.backend import RayWorker

    told: list[Exception] = []
    monkeypatch.setattr(ray, "get", lambda reference: (_ for _ in ()).throw(told[-1]))
    worker = RayWorker(None, None, _NoDocuments())  # type: ignore[arg-type]
    told.append(RayTaskError("start", "", OSError("no space left")))
    with pytest.raises(WorkerDied, match=r"^OSError: no space left$"):
        worker.receive()
    worker = RayWorker(_Actor(), None, _NoDocuments())  # type: ignore[arg-type]
    worker.ready = True
    worker.send(Order(0, PageTask(0, Path("a.pdf"), "a.pdf", (4, 5))))
    told.append(RayTaskError("read", "", OSError("no space left")))
    with pytest.raises(WorkerDied, match=r"^OSError: no space left$"):
        worker.receive()
    told.append(RayTaskError("read", "", ModelError("no such model")))
    message = worker.receive()
    assert isinstance(message, Aborted) and str(message.error) == "no such model"


class _NoDocuments:
    def reference(self, task: PageTask) -> object:
        return None


class _Actor:
    """Its stream of pages has no end; what ``ray.get`` makes of them is another matter."""

    @property
    def read(self) -> _Actor:
        return self

    def options(self, **given: object) -> _Actor:
        return self

    def remote(self, *given: object) -> Iterator[None]:
        return itertools.repeat(None)


def galley(folder: Path, parser: str, *words: str) -> subprocess.CompletedProcess[str]:
    importable = os.pathsep.join([str(HERE), str(HERE.parent / "cli"), os.environ.get("PYTHONPATH", "")])
    env = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": importable, DEATH_NOTE: str(folder / "note")}
    line = [sys.executable, str(HERE / "ray_fakes.py"), parser, "parse", *words]
    return subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, timeout=1500)


def contents(folder: Path) -> dict[str, bytes]:
    """All files by name, without the ledger, whose lines are in the order documents were finished."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".galley-done.jsonl"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@needs_ray
@pytest.mark.slow
def test_a_worker_killed_midway_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/long.pdf").write_bytes(numbered(PAGES - 20))
    for number in range(1, 5):
        (tmp_path / f"in/{number}.pdf").write_bytes(numbered(5, f"Letter {number},"))
    formats = ("-f", "md,json,html,text", "--images", "--dpi", "60")
    alone = galley(tmp_path, "Words", "in", "-o", "alone", *formats, "-j", "1")
    assert (alone.returncode, alone.stderr) == (0, "")
    ray = ("in", "-o", "ray", *formats, "--engine", "ray", "-j", "2")
    shared = galley(tmp_path, "KilledOnce", *ray)
    assert (shared.returncode, shared.stdout, shared.stderr) == (0, "", "")
    assert (tmp_path / "note").exists(), "no worker was killed"
    assert contents(tmp_path / "ray") == contents(tmp_path / "alone")
    ledger = tmp_path / "ray/.galley-done.jsonl"
    assert len(ledger.read_text().splitlines()) == 5
    (tmp_path / "ray/3.md").unlink()
    before = (tmp_path / "ray/long.md").stat().st_mtime_ns
    assert galley(tmp_path, "Words", *ray, "--resume").returncode == 0
    assert contents(tmp_path / "ray") == contents(tmp_path / "alone")
    assert (tmp_path / "ray/long.md").stat().st_mtime_ns == before


@needs_ray
@pytest.mark.slow
def test_a_page_that_kills_every_worker_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(6))
    done = galley(tmp_path, DiesOnTwo.__name__, "a.pdf", "-f", "json", "--engine", "ray", "-j", "2")
    message = "page 2: 3 workers failed to read it (ActorDiedError)"
    assert (done.returncode, done.stderr) == (1, f"galley: a.pdf: {message}\n")
    data = json.loads(done.stdout)
    assert [page["number"] for page in data["pages"]] == [1, 3, 4, 5, 6]
    assert data["failures"] == [{"message": message, "page": 2}]


@needs_ray
@pytest.mark.slow
def test_a_missing_model_ends_the_run_with_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(numbered(2))
    done = galley(tmp_path, "NoModel", "a.pdf", "--engine", "ray", "-j", "1")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == "galley: the model is missing; install it\n"
