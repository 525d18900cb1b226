"""What is read: pages or crops, from a folder or an OmniDocBench annotation file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from galley.document import Label
from galley.errors import InputError
from galley.evaluation.benchmarks.folder import PAGES, TRUTHS
from galley.evaluation.omnidocbench.truth import FORMULA, TABLE, TEXT_CATEGORIES, load
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.reading import open_with

_LABELS = {"text": Label.TEXT, "table": Label.TABLE, "formula": Label.FORMULA}
Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Sample:
    """A page, or a crop that is one block.

    Attributes:
        number: 1-based page of the file.
        truth: Its text as Markdown, where known.
        label: The block that a crop is, None for a page.
        box: ``x0, y0, x1, y1``, the part of the page that the crop is, in pixels.
    """

    name: str
    path: Path
    number: int = 1
    truth: str | None = None
    label: Label | None = None
    box: Box | None = None

    def read(self, options: ParseOptions) -> PageImage:
        """The image; raises ``InputError`` where it cannot be read."""
        with open_with(self.path, options.model_copy(update={"pages": None}), None) as source:
            page = source.page(self.number)
        if self.box is None:
            return page
        x0, y0, x1, y1 = self.box
        image = page.image[max(0, y0) : y1, max(0, x0) : x1]
        if image.size == 0:
            raise InputError(f"{self.name}: its box lies outside the image")
        return replace(page, image=image.copy())


def find_samples(data: Path, options: ParseOptions, crops: bool, limit: int) -> list[Sample]:
    """Samples spread evenly over all there are.

    Args:
        data: A folder of pages (images, PDFs; ``NAME.md`` beside one is its truth), or of crops, then in folders
            named text, table and formula (text where the folder has another name); or an OmniDocBench annotation
            file.
        options: How documents are opened.
        crops: The images are crops of blocks.
        limit: The most samples.

    Raises:
        InputError: There are none.
    """
    if data.is_file():
        found = list(_annotated_crops(data) if crops else _annotated_pages(data))
    else:
        found = list(_in_folder(data, options, crops))
    if not found:
        raise InputError(f"{data} holds no {'crops' if crops else 'pages'}")
    return spread(found, limit)


def spread(items: Sequence[Any], limit: int) -> list[Any]:
    """At most ``limit`` of the items, evenly spaced, in order."""
    if len(items) <= limit:
        return list(items)
    return [items[i * len(items) // limit] for i in range(limit)]


def _in_folder(folder: Path, options: ParseOptions, crops: bool) -> Iterator[Sample]:
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in PAGES:
            continue
        name = path.relative_to(folder).as_posix()
        if crops:
            yield Sample(name, path, label=_LABELS.get(path.parent.name.lower(), Label.TEXT))
            continue
        truth = next((t for t in map(path.with_suffix, TRUTHS) if t.is_file()), None)
        text = truth.read_text(encoding="utf-8", errors="replace") if truth else None
        numbers = _numbers(path, options)
        for number in numbers:
            whole = len(numbers) == 1  # a truth is of the whole file
            yield Sample(name if whole else f"{name}:{number}", path, number, truth=text if whole else None)


def _numbers(path: Path, options: ParseOptions) -> list[int]:
    """Its pages; a file that cannot be opened counts as one, which is listed when it is to be read."""
    try:
        with open_with(path, options, None) as source:
            return source.numbers
    except InputError:
        return [1]


def _annotated_pages(data: Path) -> Iterator[Sample]:
    for page in load(data):
        parts = sorted([*page.blocks, *page.tables], key=lambda part: part.order or 0)
        yield Sample(page.stem, _image(data, page.image), truth="\n\n".join(p.content for p in parts))


def _annotated_crops(data: Path) -> Iterator[Sample]:
    labels = {**dict.fromkeys(TEXT_CATEGORIES, Label.TEXT), TABLE: Label.TABLE, FORMULA: Label.FORMULA}
    load(data)  # says what is wrong with the file
    for page in json.loads(data.read_text(encoding="utf-8")):
        image = Path(page["page_info"]["image_path"])
        for number, item in enumerate(page["layout_dets"]):
            label, poly = labels.get(item["category_type"]), item.get("poly")
            if label is None or not poly:
                continue
            xs, ys = poly[0::2], poly[1::2]
            box = (int(min(xs)), int(min(ys)), round(max(xs)), round(max(ys)))
            yield Sample(f"{image.stem}#{number}", _image(data, image.name), label=label, box=box)


def _image(data: Path, name: str) -> Path:
    for path in (data.parent / "images" / name, data.parent / name):
        if path.is_file():
            return path
    raise InputError(f"the image {name} is neither in {data.parent / 'images'} nor beside {data.name}")
