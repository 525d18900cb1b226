"""PubTabNet's annotations as HTML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from galley.errors import InputError
from galley.evaluation.answers import stem_of
from galley.evaluation.samples import Sample

_SPLIT = "val"


def load(data: Path) -> list[Sample]:
    """The validation tables of an annotation file (JSON lines, or the official evaluation's JSON object) or
    of the folder it lies in; pictures are in ``val/`` beside it or right there.
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


def _lines(file: Path) -> Iterator[tuple[str, str, str]]:
    """Name, HTML and kind; the file is long, so other splits are passed over unparsed, but no line cut short."""
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            whole = line.rstrip().endswith("}")
            if not line.strip() or (whole and f'"{_SPLIT}"' not in line):
                continue
            try:
                record = json.loads(line)
                if record["split"] == _SPLIT:
                    structure = record["html"]["structure"]["tokens"]
                    yield record["filename"], table_html(structure, record["html"]["cells"]), _kind(structure)
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{file.name}, line {number} is no PubTabNet annotation: {error!r}"
                ) from error


def _object(file: Path) -> Iterator[tuple[str, str, str]]:
    try:
        records = json.loads(file.read_text(encoding="utf-8"))
        for name, record in records.items():
            yield name, record["html"], record.get("type") or _kind([record["html"]])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{file.name} is no PubTabNet truth by file name: {error!r}") from error


def table_html(structure: list[str], cells: list[dict[str, Any]]) -> str:
    """The table's HTML; each cell's tokens stand before the end tag of its place in the structure."""
    contents = iter(cells)
    parts = []
    for token in structure:
        if token == "</td>":
            parts += next(contents)["tokens"]
        parts.append(token)
    return f"<html><body><table>{''.join(parts)}</table></body></html>"


def _kind(structure: list[str]) -> str:
    """Complex tables have a cell over several rows or columns."""
    return "complex" if any("rowspan" in t or "colspan" in t for t in structure) else "simple"
