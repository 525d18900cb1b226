"""``galley eval pubtabnet``: TEDS and TEDS-S over the validation tables, simple and complex apart.

Source: Zhong et al. 2020, "Image-based table recognition": pictures of tables and their HTML.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from galley.document import Label
from galley.errors import InputError
from galley.evaluation.prediction_texts import stem_of
from galley.evaluation.records import FileName, parse_json, read_json
from galley.evaluation.report import Report
from galley.evaluation.samples import Benchmark, Column, Metrics, Sample, make_report, score_samples
from galley.evaluation.settings import Settings
from galley.evaluation.teds import teds

_SPLIT = "val"


def score(pair: tuple[str, str]) -> Metrics:
    """TEDS and TEDS-S of (prediction, truth)."""
    return {"teds": teds(*pair), "structure": teds(*pair, structure_only=True)}


PUBTABNET = Benchmark(
    "PubTabNet", (Column("TEDS ↑", "teds"), Column("TEDS-S ↑", "structure")), score, Label.TABLE
)


def benchmark(settings: Settings) -> Report:
    """Read the table pictures and score them by TEDS.

    Args:
        settings: ``data`` is ``PubTabNet_2.0.0.jsonl``, the truth of the official evaluation as JSON, or the
            folder of either.
    """
    samples = load(settings.data)
    return make_report(PUBTABNET, score_samples(PUBTABNET, samples, settings), settings)


def load(data: Path) -> list[Sample]:
    """The validation tables of an annotation file, or of the folder it lies in.

    Args:
        data: JSON lines, or the JSON object of the official evaluation. Pictures are in ``val/`` beside it or
            in the same folder.
    """
    file = _annotations(data)
    records = _lines(file) if file.suffix == ".jsonl" else _object(file)
    samples = []
    for name, html, group in records:
        folder = file.parent / _SPLIT if (file.parent / _SPLIT).is_dir() else file.parent
        samples.append(Sample(stem_of(name), html, folder / name, group))
    if not samples:
        raise InputError(f"{file.name} holds no table of the split {_SPLIT!r}")
    return samples


def _annotations(data: Path) -> Path:
    if data.is_file():
        return data
    found = sorted([*data.glob("*.jsonl"), *data.glob("*.json")])
    if len(found) != 1:
        raise InputError(f"{data} holds {len(found)} .jsonl and .json files; name the annotation file itself")
    return found[0]


class _Structure(BaseModel):
    tokens: list[str]


class _Html(BaseModel):
    structure: _Structure
    cells: list[_Structure]


class _Line(BaseModel):
    filename: FileName
    split: str
    html: _Html


class _Truth(BaseModel):
    html: str
    type: str | None = None


def _lines(file: Path) -> Iterator[tuple[str, str, str]]:
    """Name, HTML and kind; the file is long, so other splits are passed over unparsed, but no line cut short."""
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                whole = line.rstrip().endswith(b"}")
                if not line.strip() or (whole and f'"{_SPLIT}"'.encode() not in line):
                    continue
                record = parse_json(line, _Line, f"{file.name}, line {number} is no PubTabNet annotation")
                if record.split == _SPLIT:
                    structure = record.html.structure.tokens
                    cells = [cell.tokens for cell in record.html.cells]
                    if len(cells) != structure.count("</td>"):
                        raise InputError(f"{file.name}, line {number}: cells and structure do not match")
                    yield record.filename, table_html(structure, cells), _kind(structure)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from error


def _object(file: Path) -> Iterator[tuple[str, str, str]]:
    for name, record in read_json(file, dict[FileName, _Truth], "PubTabNet's truth by file name").items():
        yield name, record.html, record.type or _kind([record.html])


def table_html(structure: list[str], cells: list[list[str]]) -> str:
    """The table's HTML; each cell's tokens stand before the end tag of its place in the structure."""
    contents = iter(cells)
    parts = []
    for token in structure:
        if token == "</td>":
            parts += next(contents)
        parts.append(token)
    return f"<html><body><table>{''.join(parts)}</table></body></html>"


def _kind(structure: list[str]) -> str:
    """Complex tables have a cell over several rows or columns."""
    return "complex" if any("rowspan" in t or "colspan" in t for t in structure) else "simple"
