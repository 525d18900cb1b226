"""Benchmark reports: one content, written as Markdown and as one self-contained HTML file."""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from PIL import Image

from galley.errors import GalleyError
from galley.evaluation.plots import Histogram, Plot, Point, Scatter
from galley.ingest.source import open_source

__all__ = [
    "Case",
    "Headline",
    "Histogram",
    "Point",
    "Report",
    "Scatter",
    "Table",
    "to_html",
    "to_markdown",
    "write",
]

_FIGURE = re.compile(r"[\d\s.,%×±+–-]+")
_CASE_PIXELS = 900
_CASE_DPI = 100
_CASE_CHARACTERS = 6000


@dataclass(frozen=True)
class Table:
    """A table of a report; cells are strings or numbers, which show four digits; ``None`` shows as a dash."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    note: str = ""


@dataclass(frozen=True)
class Case:
    """A sample shown side by side: its image, the truth and the output.

    Attributes:
        page: Number (from 1) of the page to show where ``image`` is a PDF.
        truth_name: What stands in the truth's place.
    """

    name: str
    score: str
    truth: str
    output: str
    image: Path | None = None
    page: int = 1
    truth_name: str = "truth"


@dataclass(frozen=True)
class Headline:
    """The benchmark's one row and the score in it that ranks systems, if it could be had."""

    head: Sequence[str]
    row: Sequence[object]
    score_name: str
    score: float | None


@dataclass
class Report:
    """What a benchmark found.

    Attributes:
        warnings: Whatever makes the figures mean less than they seem to; shown first.
        failures: What could not be predicted or scored as it should be, one line each.
    """

    title: str
    intro: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    headline: Headline | None = None
    pages_per_second: float | None = None


def write(report: Report, out: Path) -> None:
    """``report.md`` and ``report.html`` in the folder ``out``."""
    out.mkdir(parents=True, exist_ok=True)
    (out / "report.md").write_text(to_markdown(report), encoding="utf-8")
    (out / "report.html").write_text(to_html(report), encoding="utf-8")


def to_markdown(report: Report) -> str:
    """Everything but plots and images."""
    parts = [f"# {report.title}", *report.intro, *(f"* **{warning}**" for warning in report.warnings)]
    if report.failures:
        parts.append("## Failures\n\n" + "\n".join(f"* {failure}" for failure in report.failures))
    for table in report.tables:
        head = "| " + " | ".join(table.head) + " |"
        rows = [
            "| " + " | ".join(_cell(cell).replace("|", "\\|") for cell in row) + " |" for row in table.rows
        ]
        parts.append("\n".join([f"## {table.title}", "", head, "|" + "---|" * len(table.head), *rows]))
        parts += [table.note] if table.note else []
    if report.cases:
        worst = "\n".join(f"* {case.name}: {case.score}" for case in report.cases)
        parts.append(f"## Worst samples\n\n{worst}")
    return "\n\n".join(parts) + "\n"


def to_html(report: Report) -> str:
    """One file with its plots and images inside."""
    environment = Environment(
        loader=PackageLoader("galley.evaluation", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"cell": _cell, "short": _short}
    environment.tests["figure"] = lambda value: _FIGURE.fullmatch(_cell(value)) is not None
    plots = [(plot.title, _base64(plot.png())) for plot in report.plots if plot.worth_showing]
    cases = [(case, *_picture(case)) for case in report.cases]
    names = {case.name for case in report.cases}
    template = environment.get_template("report.html")
    return template.render(report=report, plots=plots, cases=cases, names=names)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def _short(text: str) -> str:
    left_out = len(text) - _CASE_CHARACTERS
    return f"{text[:_CASE_CHARACTERS]}\n… {left_out} more characters" if left_out > 0 else text


def _picture(case: Case) -> tuple[str, str]:
    """The case's image as base64 JPEG, or nothing and why there is none."""
    if case.image is None:
        return "", ""
    try:
        with open_source(case.image, pages=case.page, dpi=_CASE_DPI) as source:
            small = Image.fromarray(source.page(case.page).image)
    except (GalleyError, OSError) as error:
        return "", f"no image: {error}"
    small.thumbnail((_CASE_PIXELS, _CASE_PIXELS))
    data = io.BytesIO()
    small.save(data, "JPEG", quality=70)
    return _base64(data.getvalue()), ""


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
