"""Reading a real-set folder: ``index.json`` (pages) and ``crops_index.json`` (lines, tables, formulas)."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from galley.errors import InputError
from galley.evaluation.records import FileName, read_json


@dataclass(frozen=True)
class Sample:
    """One image to read.

    Attributes:
        truth: Text or Markdown; the HTML of a table where ``task`` is ``table``, LaTeX where it is ``formula``.
        ordered: False where the order of the truth means little (a PDF's text layer, token rows): only its words
            count.
        figure_text: True where the truth holds the text in pictures as well, as a text layer does.
        pdf: The born-digital document behind the image.
        pdf_page: The page's number (from 1) in it.
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


class _PageEntry(BaseModel):
    id: FileName
    kind: str
    image: FileName
    truth: FileName
    truth_type: str | None = None
    pdf: str | None = None
    page: int | None = None


class _CropEntry(BaseModel):
    image: FileName
    kind: str = "crop"
    truth: str | None = None
    truth_html: str | None = None
    truth_latex: str | None = None


def load(folder: Path) -> list[Sample]:
    """Every sample of ``folder`` in index order: pages, then line, table and formula crops.

    Raises:
        InputError: An index or a truth cannot be read or holds something else.
    """
    index = folder / "index.json"
    if not index.is_file():
        raise InputError(f"{folder} holds no index.json; give the folder of a real set")
    pages = read_json(index, list[_PageEntry], "a list of pages with id, kind, image and truth")
    samples = [_page(folder, entry) for entry in pages]
    if (folder / "crops_index.json").is_file():
        what = "a list of crops with image and truth"
        crops = read_json(folder / "crops_index.json", list[_CropEntry], what)
        samples += [sample for entry in crops if (sample := _crop(folder, entry))]
    counts = Counter(sample.id for sample in samples)
    doubled = [name for name, count in counts.items() if count > 1]
    if doubled:
        raise InputError(f"{folder}: two samples are named {doubled[0]}")
    return samples


def _page(folder: Path, entry: _PageEntry) -> Sample:
    truth = folder / entry.truth
    text_layer = entry.truth_type == "pdf-text-layer"
    return Sample(
        id=entry.id,
        kind=entry.kind,
        task="page",
        image=folder / entry.image,
        truth=read_truth(truth),
        ordered=truth.suffix != ".tsv" and not text_layer,
        figure_text=text_layer,
        pdf=folder / entry.pdf if entry.pdf else None,
        pdf_page=entry.page or (1 if entry.pdf else None),
    )


def _crop(folder: Path, entry: _CropEntry) -> Sample | None:
    image = folder / entry.image
    truths = {"table": entry.truth_html, "formula": entry.truth_latex, "line": entry.truth}
    for task, truth in truths.items():
        if truth is not None:
            return Sample(f"{task}-{image.stem}", entry.kind, task, image, truth)
    return None


def read_truth(path: Path) -> str:
    """Read a truth file: ``.csv`` line boxes (8 numbers, then text), ``.tsv`` token rows, else text as it is."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace").lstrip("\ufeff")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if path.suffix == ".csv":
        return "\n".join(line.split(",", 8)[8] for line in text.splitlines() if line.count(",") >= 8)
    if path.suffix == ".tsv":
        rows = csv.reader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
        try:
            return _tokens([row for row in rows if len(row) >= 5])
        except (ValueError, csv.Error) as error:
            raise InputError(f"{path} holds no rows of text and four numbers: {error}") from error
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
