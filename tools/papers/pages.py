"""Invented pages of text, tables and formulas, printed with PIL: the data of the tiny checkpoints.

Everything follows from a seed. Words are made of syllables, so that a small tokenizer holds most of them; a page's
regions are stacked in one column, in reading order.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from galley.targets.prompt import Task

WIDTH, MARGIN, GAP, SIZE = 448, 8, 6, 9
LINE = SIZE + 3
_SYLLABLES = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "on")]
_LAYOUT = (
    "heading",
    "text",
    "text",
    "table",
    "text",
    "formula",
    "heading",
    "text",
    "text",
    "table",
    "text",
    "formula",
)


@dataclass(frozen=True)
class Region:
    """A region of a page.

    task: what a model is asked for in its crop. text: the truth. heading: whether a page has it as a heading.
    top, bottom: where it stands on the page, in pixels.
    """

    task: Task
    text: str
    heading: bool
    top: int
    bottom: int

    @property
    def on_page(self) -> str:
        """The region as a page's Markdown has it."""
        if self.task is Task.FORMULA:
            return f"$$\n{self.text}\n$$"
        return f"# {self.text}" if self.heading else self.text


@dataclass(frozen=True)
class PrintedPage:
    """A page as an image and as regions in reading order."""

    image: Image.Image
    regions: tuple[Region, ...]

    @property
    def text(self) -> str:
        """The page's Markdown."""
        return "\n\n".join(region.on_page for region in self.regions)

    def crop(self, region: Region) -> Image.Image:
        """The image of a region, with HSD's 5 pixels around it."""
        return self.image.crop((0, max(region.top - 5, 0), WIDTH, min(region.bottom + 5, self.image.height)))


def words(count: int = 400) -> list[str]:
    """The vocabulary that texts are drawn from."""
    rng = random.Random(0)
    return ["".join(rng.choices(_SYLLABLES, k=rng.choice((2, 2, 3)))) for _ in range(count)]


def make_pages(count: int, seed: int) -> list[PrintedPage]:
    """Pages of over 1,000 tokens each."""
    rng = random.Random(seed)
    known = words()
    return [_print(rng, known) for _ in range(count)]


def write_data(
    pages: Sequence[PrintedPage], folder: Path, *, whole: bool = False, scales: Sequence[float] = (1.0,)
) -> Path:
    """Crops, each at all ``scales``, and the pages too where ``whole``, as ``galley train convert`` reads them.

    Returns the JSON-lines file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, page in enumerate(pages):
        for index, region in enumerate(page.regions):
            for scale in scales:
                name = f"{number}-{index}-{scale:g}.png"
                scaled(page.crop(region), scale).save(folder / name)
                rows.append({"image": name, "task": region.task.value, "text": region.text})
        if whole:
            page.image.save(folder / f"{number}.png")
            rows.append({"image": f"{number}.png", "task": Task.PAGE.value, "text": page.text})
    path = folder / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def scaled(image: Image.Image, scale: float) -> Image.Image:
    """The image with fewer pixels, hence fewer vision tokens."""
    return image.resize((max(round(image.width * scale), 1), max(round(image.height * scale), 1)))


def _print(rng: random.Random, known: Sequence[str]) -> PrintedPage:
    font = ImageFont.load_default(SIZE)
    printed: list[tuple[Task, str, bool, list[str]]] = []
    for kind in _LAYOUT:
        printed.append(_region(kind, rng, known))
    height = MARGIN + sum(len(lines) * LINE + GAP for *_, lines in printed) + MARGIN
    image = Image.new("RGB", (WIDTH, height), "white")
    draw = ImageDraw.Draw(image)
    regions, top = [], MARGIN
    for task, text, heading, lines in printed:
        for number, line in enumerate(lines):
            draw.text((MARGIN, top + number * LINE), line, fill="black", font=font)
        bottom = top + len(lines) * LINE
        regions.append(Region(task, text, heading, top, bottom))
        top = bottom + GAP
    return PrintedPage(image, tuple(regions))


def _region(kind: str, rng: random.Random, known: Sequence[str]) -> tuple[Task, str, bool, list[str]]:
    """Task, truth, whether it is a heading, and the lines as they are printed."""
    if kind == "heading":
        text = " ".join(rng.choices(known, k=rng.randrange(2, 6))).capitalize()
        return Task.TEXT, text, True, [text]
    if kind == "text":
        text = _paragraph(rng, known, rng.randrange(30, 150))
        return Task.TEXT, text, False, _wrapped(text)
    if kind == "table":
        cells = [[str(rng.randrange(1000)) for _ in range(4)] for _ in range(rng.randrange(3, 6))]
        markup = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in cells)
        return Task.TABLE, f"<table>{markup}</table>", False, ["      ".join(row) for row in cells]
    terms = [
        rf"\frac{{{rng.choice('abcxyz')}_{rng.randrange(9)}}}{{{rng.randrange(2, 99)}}}"
        for _ in range(rng.randrange(2, 6))
    ]
    text = f"{rng.choice('fgh')} = " + " + ".join(terms)
    return Task.FORMULA, text, False, [text]


def _paragraph(rng: random.Random, known: Sequence[str], length: int) -> str:
    found: list[str] = []
    while length > 0:
        size = min(length, rng.randrange(5, 15))
        sentence = rng.choices(known, k=size)
        if size > 6 and rng.random() < 0.5:
            sentence[size // 2] += ","
        found.append(" ".join(sentence).capitalize() + ".")
        length -= size
    return " ".join(found)


def _wrapped(text: str, columns: int = 88) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= columns:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
