"""Every system over a real set, each in its own process, predictions cached by what made them."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import galley
from galley.errors import GalleyError
from galley.evaluation.realset.data import Sample
from galley.evaluation.realset.systems import GalleyPdf, System, answers, system
from galley.evaluation.records import read_json

Say = Callable[[str], None]


@dataclass
class Predictions:
    """A system's records by sample id, or the reason there are none."""

    name: str
    version: str
    records: dict[str, dict[str, Any]]
    missing: str | None = None


def run(
    samples: list[Sample], names: Iterable[str], out: Path, threads: int, limit_seconds: float, say: Say
) -> list[Predictions]:
    """Predictions of each named system; cached ones are used where the system and the sample are unchanged.

    ``limit_seconds`` is the most one sample may take; past it the system's process is ended, the sample
    counts as a failure, and the rest goes on in a new process.
    """
    return [_run_one(name, samples, out, threads, limit_seconds, say) for name in names]


def _run_one(
    name: str, samples: list[Sample], out: Path, threads: int, limit: float, say: Say
) -> Predictions:
    kind = system(name)
    try:
        version = kind.version()
    except GalleyError as error:
        say(f"{name}: left out: {error}")
        return Predictions(name, name, {}, missing=str(error))
    mine = [sample for sample in samples if answers(kind, sample)]
    folder = out / "predictions" / name / _key(kind, version, threads)
    folder.mkdir(parents=True, exist_ok=True)
    todo = [sample for sample in mine if not (folder / f"{sample.id}.json").is_file()]
    say(f"{version}: {len(mine)} samples, {len(mine) - len(todo)} cached")
    while todo:
        _worker(name, todo, folder, threads, limit, say)
        todo = [sample for sample in todo if not (folder / f"{sample.id}.json").is_file()]
    what = "a prediction; delete it"
    records = {s.id: read_json(folder / f"{s.id}.json", dict[str, Any], what) for s in mine}
    return Predictions(name, version, records)


def _worker(name: str, todo: list[Sample], folder: Path, threads: int, limit: float, say: Say) -> None:
    job = folder / "job.json"
    entries = [
        {k: str(v) if isinstance(v, Path) else v for k, v in asdict(s).items() if k != "truth"} for s in todo
    ]
    body = {"system": name, "threads": threads, "out": str(folder), "run": uuid.uuid4().hex[:8]}
    job.write_text(json.dumps({**body, "samples": [{**entry, "truth": ""} for entry in entries]}), "utf-8")
    with (folder / "worker.log").open("wb") as log:
        command = [sys.executable, "-m", "galley.evaluation.realset.worker", str(job)]
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            stuck, died = _watch(process, todo, folder, limit)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
    if stuck:
        why = _last_line(folder / "worker.log") if died else f"took more than {limit:g} s"
        say(f"{name}: {stuck.id}: {why}")
        record: dict[str, Any] = {
            "text": "",
            "tables": [],
            "error": why,
            "seconds": None,
            "cpu_seconds": None,
            "peak_bytes": 0,
        }
        (folder / f"{stuck.id}.json").write_text(json.dumps({**record, "run": body["run"]}), "utf-8")


def _watch(
    process: subprocess.Popen[bytes], todo: list[Sample], folder: Path, limit: float
) -> tuple[Sample | None, bool]:
    """The sample a process hung on or died on (then True); ``None`` when it finished them all."""
    current, since = 0, time.monotonic()
    while current < len(todo):
        ended = process.poll() is not None
        if (folder / f"{todo[current].id}.json").is_file():
            current, since = current + 1, time.monotonic()
        elif ended or time.monotonic() - since > limit * (
            1 if current else 2
        ):  # the first is read twice: warm-up
            return todo[current], ended
        else:
            time.sleep(0.05)
    return None, False


def _key(kind: type[System], version: str, threads: int) -> str:
    """Changes whenever the predictions might: version, threads and, for Galley, its source files."""
    digest = hashlib.sha256(f"{version}|{threads}".encode())
    if kind.__module__ == GalleyPdf.__module__ and kind.__name__.startswith("Galley"):
        root = Path(galley.__file__).parent
        for path in sorted(root.rglob("*.py")):
            if path.relative_to(root).parts[0] not in ("evaluation", "cli", "training", "serving", "engines"):
                digest.update(path.read_bytes())
        for path in sorted(root.rglob("*.onnx")):
            digest.update(f"{path.name}{path.stat().st_size}".encode())
    return digest.hexdigest()[:12]


def _last_line(path: Path) -> str:
    lines = path.read_text("utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "the process ended without a word"
