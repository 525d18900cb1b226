"""Print samples on grey canvases and say where each line's ink lies."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np
import pyphen
from fonts import Face
from PIL import Image, ImageDraw, ImageFont
from texts import Sample

_HYPHENS = pyphen.Pyphen(lang="en_US")
MAX_LINES = 16


@dataclass(frozen=True)
class Line:
    """A printed line.

    text: as printed, a hyphen at a broken word included. tail: what stands between this line and the next in
    the running text: a space, nothing (a word broken at its own
        hyphen), ``-`` (take the printed hyphen away and join), a line feed, or ``""`` at the end.
    box: tight ink box on the canvas in pixels. cell: (row, column, row span, column span) in a table, else
    None.
    """

    text: str
    tail: str
    box: tuple[int, int, int, int]
    cell: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class Printed:
    """A canvas (height, width) float32 grey, its lines, and the font's size in pixels."""

    kind: str
    image: np.ndarray
    lines: list[Line]
    size: int


class _Pen:
    """Sets text in one face at one size on one canvas."""

    def __init__(self, face: Face, size: int, rng: random.Random):
        self.size = size
        self.font: ImageFont.FreeTypeFont = face.at(size)
        self.space = self.font.getlength(" ") or size / 4
        self.tracking = rng.choice([0, 0, 0, 0, 0, 1]) if size > 20 else 0

    def width(self, word: str) -> float:
        return self.font.getlength(word) + self.tracking * len(word)

    def line_width(self, words: list[str]) -> float:
        return sum(map(self.width, words)) + self.space * (len(words) - 1)

    def wrap(self, text: str, width: float, hyphenate: bool) -> list[tuple[list[str], str]]:
        """Words of each line and its tail; greedy, with words broken at syllables where ``hyphenate``."""
        lines: list[tuple[list[str], str]] = []
        current: list[str] = []
        used = 0.0
        for word in text.split():
            if len(word) > 60:
                continue
            needed = self.width(word) + (self.space if current else 0)
            if current and used + needed > width:
                available = width - used - self.space
                head, rest, tail = self._break(word, available, hyphenate)
                if head:
                    current.append(head)
                lines.append((current, tail))
                current, used, word = [], 0.0, rest
                needed = self.width(word)
            current.append(word)
            used += needed
        if current:
            lines.append((current, ""))
        return lines

    def _break(self, word: str, available: float, hyphenate: bool) -> tuple[str, str, str]:
        """(part that still fits, part for the next line, tail); an empty first part when the word stays
        whole."""
        if "-" in word[1:-1]:
            cut = word.rindex("-", 0, -1) + 1
            if self.width(word[:cut]) <= available:
                return word[:cut], word[cut:], "keep"
        if hyphenate and word.isalpha() and len(word) > 5:
            fitting = [cut for cut in _HYPHENS.positions(word) if self.width(word[:cut] + "-") <= available]
            if fitting:
                return word[: fitting[-1]] + "-", word[fitting[-1] :], "-"
        return "", word, " "

    def draw(
        self, canvas: Image.Image, words: list[str], x: float, y: float, space: float
    ) -> tuple[int, int, int, int]:
        """Draw words with their baseline at ``y``; the ink's box."""
        width, height = (
            round(self.line_width(words) + abs(space - self.space) * len(words)) + 4 * self.size,
            4 * self.size,
        )
        layer = Image.new("L", (width, height))
        pen = ImageDraw.Draw(layer)
        at = float(self.size)
        for word in words:
            if self.tracking:
                for char in word:
                    pen.text((at, 2 * self.size), char, fill=255, font=self.font, anchor="ls")
                    at += self.font.getlength(char) + self.tracking
            else:
                pen.text((at, 2 * self.size), word, fill=255, font=self.font, anchor="ls")
                at += self.font.getlength(word)
            at += space
        box = layer.getbbox() or (self.size, 2 * self.size - 1, self.size + 1, 2 * self.size)
        left, top = round(x) - self.size, round(y) - 2 * self.size
        canvas.paste(0, (left, top), layer)
        return box[0] + left, box[1] + top, box[2] + left, box[3] + top


def print_sample(sample: Sample, face: Face, rng: random.Random) -> Printed:
    """Set the sample in ``face`` at a random size."""
    size = min(64, max(13, round(rng.lognormvariate(3.3, 0.28))))
    pen = _Pen(face, size, rng)
    if sample.kind == "table":
        return _print_table(sample, pen, rng)
    return _print_text(sample, pen, rng)


def _print_text(sample: Sample, pen: _Pen, rng: random.Random) -> Printed:
    column = pen.width("abcdefghij ") / 11 * rng.choice([rng.uniform(22, 60), rng.uniform(40, 100)])
    hyphenate = rng.random() < 0.5
    set_lines: list[tuple[list[str], str]] = []
    for text in sample.lines:
        wrapped = pen.wrap(text, column, hyphenate)
        if wrapped:
            set_lines += [*wrapped[:-1], (wrapped[-1][0], "\n")]
    set_lines = set_lines[:MAX_LINES]
    if not set_lines:
        return Printed(sample.kind, np.zeros((1, 1), np.float32), [], pen.size)
    words, tail = set_lines[-1]
    set_lines[-1] = ([*words[:-1], words[-1].rstrip("-") or "-"] if tail == "-" else words, "")
    align = rng.choices(["left", "justify", "center", "right"], weights=[45, 40, 9, 6])[0]
    indent = pen.size * rng.choice([0, 0, 1.5, 2])
    pitch = pen.size * rng.uniform(1.05, 1.7)
    widths = [pen.line_width(words) for words, _ in set_lines]
    canvas = Image.new(
        "L",
        (round(max(column, *widths) + indent) + 4 * pen.size, round(pitch * len(set_lines)) + 3 * pen.size),
        255,
    )
    lines = []
    for number, ((words, tail), width) in enumerate(zip(set_lines, widths, strict=True)):
        x, space = 2.0 * pen.size, pen.space
        if align == "justify" and tail not in ("", "\n") and len(words) > 1 and width < column:
            space += min((column - width) / (len(words) - 1), 3 * pen.space)
        elif align in ("center", "right"):
            x += max(0.0, column - width) * (0.5 if align == "center" else 1)
        x += indent if number == 0 and align in ("left", "justify") else 0
        y = 2 * pen.size + number * pitch
        box = pen.draw(canvas, words, x, y, space)
        if rng.random() < 0.01:
            ImageDraw.Draw(canvas).line(
                (x, y + pen.size * 0.15, x + width, y + pen.size * 0.15), fill=0, width=2
            )
        lines.append(Line(" ".join(words), "" if tail == "keep" else tail, box))
    return Printed(sample.kind, np.asarray(canvas, np.float32), _mark_end(lines), pen.size)


def _mark_end(lines: list[Line]) -> list[Line]:
    return [*lines[:-1], replace(lines[-1], tail="")] if lines else lines


def _print_table(sample: Sample, pen: _Pen, rng: random.Random) -> Printed:
    limit = pen.size * rng.uniform(5, 16)
    rows = 1 + max(cell.row + cell.rowspan - 1 for cell in sample.cells)
    cols = 1 + max(cell.col + cell.colspan - 1 for cell in sample.cells)
    wrapped = [pen.wrap(cell.text, limit * cell.colspan, False) for cell in sample.cells]
    gap = pen.size * rng.uniform(0.5, 2.0)
    pitch = pen.size * rng.uniform(1.05, 1.35)
    widths, heights = [pen.size * 1.0] * cols, [pitch] * rows
    for cell, lines in zip(sample.cells, wrapped, strict=True):
        widest = max((pen.line_width(words) for words, _ in lines), default=0.0)
        for c in range(cell.col, cell.col + cell.colspan):
            widths[c] = max(widths[c], widest / cell.colspan)
        for r in range(cell.row, cell.row + cell.rowspan):
            heights[r] = max(heights[r], pitch * len(lines) / cell.rowspan)
    pad = pen.size * rng.uniform(0.1, 0.9)
    lefts = np.cumsum([2.0 * pen.size, *(w + gap for w in widths)])
    tops = np.cumsum([1.5 * pen.size, *(h + pad for h in heights)])
    canvas = Image.new("L", (round(lefts[-1]) + 2 * pen.size, round(tops[-1]) + 2 * pen.size), 255)
    _rule(canvas, lefts - gap / 2, tops - pad / 2, rng)
    aligns = [rng.choice(["left", "left", "center", "right"]) for _ in range(cols)]
    middle = rng.random() < 0.5
    printed = []
    for cell, lines in zip(sample.cells, wrapped, strict=True):
        available = lefts[cell.col + cell.colspan] - lefts[cell.col] - gap
        tall = tops[cell.row + cell.rowspan] - tops[cell.row] - pad
        y = tops[cell.row] + 0.8 * pen.size + (max(0.0, tall - pitch * len(lines)) / 2 if middle else 0)
        for words, tail in lines:
            slack = max(0.0, available - pen.line_width(words))
            align = "center" if cell.colspan > 1 else aligns[cell.col]
            x = lefts[cell.col] + slack * {"left": 0.0, "center": 0.5, "right": 1.0}[align]
            box = pen.draw(canvas, words, x, y, pen.space)
            place = (cell.row, cell.col, cell.rowspan, cell.colspan)
            printed.append(Line(" ".join(words), "" if tail == "keep" else tail, box, place))
            y += pitch
    return Printed("table", np.asarray(canvas, np.float32), printed, pen.size)


def _rule(canvas: Image.Image, xs: np.ndarray, ys: np.ndarray, rng: random.Random) -> None:
    """Ruling lines: full, horizontal only, or none."""
    style = rng.choice(["none", "rows", "full"])
    pen, width = ImageDraw.Draw(canvas), rng.choice([1, 1, 2])
    if style != "none":
        for y in ys:
            pen.line((xs[0], y, xs[-1], y), fill=rng.choice([0, 90]), width=width)
    if style == "full":
        for x in xs:
            pen.line((x, ys[0], x, ys[-1]), fill=0, width=width)


def cut_line(image: np.ndarray, box: tuple[int, int, int, int], size: int, rng: random.Random) -> np.ndarray:
    """A line crop (height, width, 3) uint8 as a detector cuts it: the ink and a margin that varies by a few
    per cent."""
    x0, y0, x1, y1 = box
    least = 0.55 * size
    if y1 - y0 < least:
        grow = (least - (y1 - y0)) / 2
        y0, y1 = round(y0 - grow), round(y1 + grow)
    tall = y1 - y0
    margins = [tall * rng.uniform(-0.02, 0.22) for _ in range(2)] + [
        tall * rng.uniform(0.02, 0.35) for _ in range(2)
    ]
    top, bottom = max(0, round(y0 - margins[0])), min(image.shape[0], round(y1 + margins[1]))
    left, right = max(0, round(x0 - margins[2])), min(image.shape[1], round(x1 + margins[3]))
    crop = np.clip(image[top:bottom, left:right], 0, 255).astype(np.uint8)
    return np.repeat(crop[:, :, None], 3, axis=2)
