"""The process one system runs in: samples in, one JSON file per sample out, with time and peak memory."""

from __future__ import annotations

import json
import resource
import sys
import time
from dataclasses import asdict
from pathlib import Path

from galley.evaluation.realset.data import Sample
from galley.evaluation.realset.systems import System, system
from galley.evaluation.whole import write_whole


def main(job_file: str) -> None:
    """Run the job: ``{system, threads, out, warmup, samples}``, as ``predictions.py`` writes it."""
    job = json.loads(Path(job_file).read_text(encoding="utf-8"))
    samples = [_sample(entry) for entry in job["samples"]]
    out = Path(job["out"])
    started = time.perf_counter()
    reader = system(job["system"])(job["threads"])
    _attempt(reader, samples[0])  # models load and caches fill before the clock counts
    load = time.perf_counter() - started
    for sample in samples:
        record = {
            **_attempt(reader, sample),
            "load_seconds": load,
            "peak_bytes": peak_bytes(),
            "run": job["run"],
        }
        write_whole(out / f"{sample.id}.json", json.dumps(record, ensure_ascii=False))


def _attempt(reader: System, sample: Sample) -> dict[str, object]:
    wall, cpu = time.perf_counter(), _cpu_seconds()
    try:
        output: dict[str, object] = asdict(reader.read(sample))
    except Exception as error:
        output = {"text": "", "tables": [], "error": f"{type(error).__name__}: {error}"}
    return {**output, "seconds": time.perf_counter() - wall, "cpu_seconds": _cpu_seconds() - cpu}


def _sample(entry: dict[str, object]) -> Sample:
    paths = {key: Path(str(entry[key])) for key in ("image", "pdf") if entry[key] is not None}
    return Sample(**{**entry, **paths})  # type: ignore[arg-type]


def _cpu_seconds() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def peak_bytes() -> int:
    """Largest resident set so far of this process, or of its largest child when that is larger."""
    unit = 1 if sys.platform == "darwin" else 1024
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
    return max(child, _own_peak() or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def _own_peak() -> int | None:
    """Linux keeps the parent's peak in ``ru_maxrss`` over ``exec``; ``VmHWM`` is this program's own."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return next(
        (int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")), None
    )


if __name__ == "__main__":
    main(sys.argv[1])
