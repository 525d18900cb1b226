"""Benchmark reports: one content, written as Markdown and as one self-contained HTML file."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

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

_CASE_PIXELS = 900
_CASE_DPI = 100
_CASE_CHARACTERS = 6000

_STYLE = """
body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem;color:#1c1c1c}
table{border-collapse:collapse;margin:.5rem 0 1.5rem}td,th{border:1px solid #ccc;padding:.2rem .6rem}
td:not(:first-child){text-align:right;font-variant-numeric:tabular-nums}th{background:#f3f3f3}
.case{display:grid;grid-template-columns:repeat(3,1fr);gap:1rem;border-top:1px solid #ccc;padding:1rem 0}
.case img{max-width:100%;max-height:36rem}.case h4{margin:0 0 .3rem;font-weight:normal;color:#666}
.case pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px;margin:0;max-height:36rem;overflow:auto}
.plots img{max-width:48%}
h1,h3,p,li{overflow-wrap:anywhere}.wide{overflow-x:auto}
@media(max-width:700px){.case{grid-template-columns:1fr}.plots img{max-width:100%}}
"""


@dataclass(frozen=True)
class Table:
    """A table of a report; cells are strings or numbers, which show four digits; ``None`` shows as a dash."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    note: str = ""


@dataclass(frozen=True)
class Case:
    """A sample shown side by side: its image, the truth and the output. ``page`` (1-based) is the one shown
    where ``image`` is a PDF; ``truth_name`` says what stands in the truth's place.
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
    """What a benchmark found. ``warnings`` come first: whatever makes the figures mean less than they seem
    to. ``failures`` is what could not be predicted or scored as it should be, one line each.
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
        rows = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in table.rows]
        parts.append("\n".join([f"## {table.title}", "", head, "|" + "---|" * len(table.head), *rows]))
        parts += [table.note] if table.note else []
    if report.cases:
        worst = "\n".join(f"* {case.name}: {case.score}" for case in report.cases)
        parts.append(f"## Worst samples\n\n{worst}")
    return "\n\n".join(parts) + "\n"


def to_html(report: Report) -> str:
    """One file with its plots and images inside."""
    body = [f"<h1>{_escape(report.title)}</h1>", *(f"<p>{_escape(line)}</p>" for line in report.intro)]
    body += [f"<p><b>{_escape(warning)}</b></p>" for warning in report.warnings]
    if report.failures:
        items = "".join(f"<li>{_escape(failure)}</li>" for failure in report.failures)
        body.append(f"<h2>Failures</h2><ul>{items}</ul>")
    body += [_html_table(table) for table in report.tables]
    plots = [plot for plot in report.plots if plot.worth_showing]
    if plots:
        body.append(f'<h2>Plots</h2><div class="plots">{"".join(map(_html_plot, plots))}</div>')
    if report.cases:
        body.append("<h2>Worst samples</h2>" + "".join(map(_html_case, report.cases)))
    title = _escape(report.title)
    view = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{view}<title>{title}</title><style>{_STYLE}</style>'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(body)}</body></html>\n"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4f}" if isinstance(value, float) else str(value).replace("|", "\\|")


def _escape(value: object) -> str:
    return html.escape(str(value))


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{_escape(name)}</th>" for name in table.head)
    cells = ("".join(f"<td>{_escape(_cell(cell))}</td>" for cell in row) for row in table.rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    note = f"<p>{_escape(table.note)}</p>" if table.note else ""
    rows = f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'
    return f"<h2>{_escape(table.title)}</h2>{rows}{note}"


def _html_case(case: Case) -> str:
    picture = _picture(case.image, case.page) if case.image else ""
    texts = [f"<pre>{_escape(_short(text))}</pre>" for text in (case.truth, case.output)]
    parts = zip(("image", case.truth_name, "output"), (picture, *texts), strict=True)
    columns = "".join(f"<div><h4>{_escape(name)}</h4>{part}</div>" for name, part in parts)
    return f'<h3>{_escape(case.name)}: {_escape(case.score)}</h3><div class="case">{columns}</div>'


def _short(text: str) -> str:
    left_out = len(text) - _CASE_CHARACTERS
    return f"{text[:_CASE_CHARACTERS]}\n… {left_out} more characters" if left_out > 0 else text


def _picture(path: Path, page: int) -> str:
    try:
        with open_source(path, pages=page, dpi=_CASE_DPI) as source:
            small = Image.fromarray(source.page(page).image)
    except (GalleyError, OSError) as error:
        return f"<p>no image: {_escape(error)}</p>"
    small.thumbnail((_CASE_PIXELS, _CASE_PIXELS))
    data = io.BytesIO()
    small.save(data, "JPEG", quality=70)
    return f'<img alt="" src="data:image/jpeg;base64,{_base64(data.getvalue())}">'


def _html_plot(plot: Plot) -> str:
    return f'<img alt="{_escape(plot.title)}" src="data:image/png;base64,{_base64(plot.png())}">'


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
