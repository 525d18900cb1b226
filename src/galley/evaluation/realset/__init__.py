"""A folder of real pages with truth: Galley beside the plain OCR engines, on one machine in one run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from galley.errors import InputError
from galley.evaluation.realset.data import Sample, load

__all__ = ["Sample", "bench", "load"]


def bench(
    data: Path,
    out: Path,
    systems: list[str],
    keep: Callable[[Sample], bool],
    every: int,
    threads: int,
    limit_seconds: float,
    say: Callable[[str], None],
) -> None:
    """Run, score and report; writes ``report.md`` and ``scores.json`` into ``out`` and says the report."""
    from galley.evaluation.realset.predictions import run
    from galley.evaluation.realset.realset_report import report
    from galley.evaluation.realset.score import score

    samples = [sample for sample in load(data) if keep(sample)][::every]
    if not samples:
        raise InputError(f"no sample of {data} is left to run; loosen --only and --tasks")
    out.mkdir(parents=True, exist_ok=True)
    runs = run(samples, systems, out, threads, limit_seconds, say)
    entries = [
        {**asdict(entry), "sample": entry.sample.id, "kind": entry.sample.kind}
        for predictions in runs
        for entry in score(samples, predictions)
    ]
    (out / "scores.json").write_text(json.dumps(entries, ensure_ascii=False, indent=1), encoding="utf-8")
    text = report(samples, runs, threads)
    (out / "report.md").write_text(text, encoding="utf-8")
    say(text)
