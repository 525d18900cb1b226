"""The real-set report in Markdown."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from datetime import date

from galley.evaluation.realset.data import Sample
from galley.evaluation.realset.predictions import Predictions
from galley.evaluation.realset.score import Score, by_kind, mean, score, speed

_HEAD = """\
# Real pages: Galley beside plain OCR

Made {today} on {machine}, {threads} thread(s) per system, each system alone in its own process.

* **F1**: word F1, order-insensitive. **Sim**: character edit similarity, only where the truth has a reading
  order. One normalisation serves the truth and all systems (`galley.evaluation.text_metrics`).
* `galley` reads pixels only (`ocr="always"`); `galley-pdf` may use the text layer, on born-digital pages.
  Where the truth *is* that text layer, `galley-pdf` shows what is kept, not how well it reads.
"""


def report(samples: list[Sample], runs: list[Predictions], threads: int) -> str:
    """Tables per kind of page, lines, tables, formulas, speed, and every failure and missing system."""
    scored = {run.name: score(samples, run) for run in runs if not run.missing}
    everything = [entry for scores in scored.values() for entry in scores]
    head = _HEAD.format(today=date.today().isoformat(), machine=_machine(), threads=threads)
    parts = [head, *(f"* {run.name}: {run.version}" for run in runs if not run.missing)]
    parts += [f"* **left out** {run.name}: {run.missing}" for run in runs if run.missing]
    parts += ["", "## Pages", "", *_pages([e for e in everything if e.sample.task == "page"], list(scored))]
    parts += ["", *_lines([e for e in everything if e.sample.task == "line"])]
    parts += ["", *_tables([e for e in everything if e.sample.task == "table"])]
    parts += ["", *_formulas([e for e in everything if e.sample.task == "formula"])]
    parts += ["", *_speed(samples, runs), "", *_failures(everything)]
    return "\n".join(parts) + "\n"


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def _pages(scores: list[Score], names: list[str]) -> list[str]:
    head = "| kind | pages |" + "".join(f" {name} F1 | {name} Sim |" for name in names)
    rows = [head, "|---|---|" + "---|---|" * len(names)]
    kinds: dict[str, dict[str, list[Score]]] = by_kind(scores)
    for kind, systems in kinds.items():
        pages = max(len(entries) for entries in systems.values())
        rows.append(f"| {kind} | {pages} |" + "".join(_pair(systems.get(name, [])) for name in names))
    groups = {"**all pages**": scores, "**born digital**": [e for e in scores if e.sample.pdf]}
    for title, group in groups.items():
        count = len({entry.sample.id for entry in group})
        cells = "".join(_pair([e for e in group if e.system == name]) for name in names)
        rows.append(f"| {title} | {count} |{cells}")
    return rows


def _pair(scores: list[Score]) -> str:
    return f" {_number(mean(scores, 'word_f1'))} | {_number(mean(scores, 'similarity'))} |"


def _lines(scores: list[Score]) -> list[str]:
    rows = ["## Text-line crops", "", "| system | lines | Sim | F1 |", "|---|---|---|---|"]
    for name in _systems(scores):
        mine = [entry for entry in scores if entry.system == name]
        rows.append(_row(name, len(mine), *(_number(mean(mine, m)) for m in ("similarity", "word_f1"))))
    return rows if scores else []


def _tables(scores: list[Score]) -> list[str]:
    rows = ["## Table crops", "", "| system | tables | TEDS | TEDS-S |", "|---|---|---|---|"]
    for name in _systems(scores):
        mine = [entry for entry in scores if entry.system == name]
        rows.append(_row(name, len(mine), *(_number(mean(mine, m)) for m in ("teds", "teds_structure"))))
    rows += ["", "Plain OCR engines give no tables."]
    return rows if scores else []


def _formulas(scores: list[Score]) -> list[str]:
    rows = ["## Formula crops", "", "| system | formulas | Sim |", "|---|---|---|"]
    for name in _systems(scores):
        mine = [entry for entry in scores if entry.system == name]
        rows.append(_row(name, len(mine), _number(mean(mine, "formula"))))
    rows += [
        "",
        "Sim: edit similarity of the LaTeX, normalised as OmniDocBench does; what is left as text scores 0.",
    ]
    return rows if scores else []


def _speed(samples: Iterable[Sample], runs: list[Predictions]) -> list[str]:
    rows = [
        "## Speed and memory",
        "",
        "| system | pages | pages/s | CPU s/page | peak MB | start-up s |",
        "|---|---|---|---|---|---|",
    ]
    mixed = False
    samples = list(samples)
    for run in runs:
        figures = speed(samples, run)
        if figures is None:
            continue
        mixed |= figures.runs > 1
        memory = f"{figures.peak_bytes / 1e6:.0f}"
        times = (f"{1 / figures.wall:.3f}", f"{figures.cpu:.2f}", memory, f"{figures.load:.1f}")
        rows.append(_row(run.name, figures.pages, *times))
    rows += [
        "",
        "Model loading is outside pages/s, except for Tesseract, whose program starts anew for every page.",
    ]
    if mixed:
        rows.append(
            "Some times are of earlier runs (cached predictions); delete `predictions` to time all anew."
        )
    return rows


def _failures(scores: list[Score]) -> list[str]:
    failed = [f"* {entry.system}, {entry.sample.id}: {entry.error}" for entry in scores if entry.error]
    return ["## Failures", "", *failed] if failed else ["No failures."]


def _systems(scores: list[Score]) -> list[str]:
    return list(dict.fromkeys(entry.system for entry in scores))


def _row(*cells: object) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
