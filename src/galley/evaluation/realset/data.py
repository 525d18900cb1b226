"""Reading a real-set folder: ``index.json`` (pages) and ``crops_index.json`` (lines, tables, formulas)."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from galley.errors import InputError


@dataclass(frozen=True)
class Sample:
    """One thing to read. ``truth`` is text or Markdown, a table's HTML when ``task`` is ``table``, LaTeX when it
    is ``formula``.

    ``ordered`` is False where the truth's order means little (a PDF's text layer, token rows): only its words
    count. ``figure_text`` is True where the truth holds the text in pictures as well, as a text layer does.
    ``pdf`` and ``pdf_page`` (1-based) name the born-digital page behind the image.
    """

    id: str
    kind: str
    task: str
    image: Path
    truth: str
    ordered: bool = True
    figure_text: bool = False
    pdf: Path | None = None
    pdf_page: int | None = None


def load(folder: Path) -> list[Sample]:
    """Every sample of ``folder`` in index order: pages, then line, table and formula crops."""
    index = folder / "index.json"
    if not index.is_file():
        raise InputError(f"{folder} holds no index.json; give the folder of a real set")
    pages = [_page(folder, entry) for entry in _entries(index)]
    crops = folder / "crops_index.json"
    cropped = [_crop(folder, entry) for entry in _entries(crops)] if crops.is_file() else []
    return pages + [sample for sample in cropped if sample]


def _entries(path: Path) -> list[dict[str, Any]]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(entries, list):
        raise InputError(f"{path} must hold a JSON list")
    return entries


def _page(folder: Path, entry: dict[str, Any]) -> Sample:
    truth = folder / entry["truth"]
    pdf = folder / entry["pdf"] if entry.get("pdf") else None
    text_layer = entry.get("truth_type") == "pdf-text-layer"
    return Sample(
        id=entry["id"],
        kind=entry["kind"],
        task="page",
        image=folder / entry["image"],
        truth=read_truth(truth),
        ordered=truth.suffix != ".tsv" and not text_layer,
        figure_text=text_layer,
        pdf=pdf,
        pdf_page=entry.get("page") or (1 if pdf else None),
    )


def _crop(folder: Path, entry: dict[str, Any]) -> Sample | None:
    image = folder / entry["image"]
    kind = entry.get("kind", "crop")
    if "truth_html" in entry:
        return Sample(f"table-{image.stem}", kind, "table", image, entry["truth_html"])
    if "truth_latex" in entry:
        return Sample(f"formula-{image.stem}", kind, "formula", image, entry["truth_latex"])
    if "truth" in entry:
        return Sample(f"line-{image.stem}", kind, "line", image, entry["truth"])
    return None


def read_truth(path: Path) -> str:
    """Text of a truth file: ``.csv`` line boxes (8 numbers, then text), ``.tsv`` token rows, else as it
    is.
    """
    try:
        text = path.read_text(encoding="utf-8", errors="replace").lstrip("\ufeff")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if path.suffix == ".csv":
        return "\n".join(line.split(",", 8)[8] for line in text.splitlines() if line.count(",") >= 8)
    if path.suffix == ".tsv":
        rows = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        return _tokens([row for row in rows if len(row) >= 5])
    return text


def _tokens(rows: list[list[str]]) -> str:
    """Rows ``text, x0, y0, x1, y1, …`` as lines: a token that starts left of the one before opens a line.

    Placeholders of figures and equation images (``##…##``) are no text.
    """
    lines: list[list[str]] = []
    last = float("inf")
    for row in rows:
        if row[0].startswith("##") and row[0].endswith("##"):
            continue
        x0 = float(row[1])
        if x0 < last:
            lines.append([])
        lines[-1].append(row[0])
        last = x0
    return "\n".join(" ".join(line) for line in lines)
