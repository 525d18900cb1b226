"""Tables drawn with Pillow: text, rules and their true lines."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from galley.document import BBox
from galley.drafters.line import TextLine, Word

FONT = ImageFont.load_default(size=20)


@dataclass
class Drawing:
    """A white page that remembers the text written on it."""

    width: int = 700
    height: int = 500
    background: str = "white"
    lines: list[TextLine] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page = Image.new("RGB", (self.width, self.height), self.background)
        self.pen = ImageDraw.Draw(self.page)

    @property
    def image(self) -> np.ndarray:
        return np.asarray(self.page)

    @property
    def box(self) -> BBox:
        return BBox(x0=0, y0=0, x1=self.width, y1=self.height)

    def write(self, x: float, y: float, text: str, fill: str = "black", center: bool = False) -> None:
        """One line of text with its words' boxes; ``center`` puts its middle at x."""
        if center:
            x -= self.pen.textlength(text, FONT) / 2
        words, at = [], x
        for word in text.split():
            self.pen.text((at, y), word, fill, FONT)
            length = self.pen.textlength(word, FONT)
            words.append(Word(word, BBox(x0=at, y0=y + 3, x1=at + length, y1=y + 24)))
            at += length + 6
        box = BBox(x0=words[0].bbox.x0, y0=y + 3, x1=words[-1].bbox.x1, y1=y + 24)
        self.lines.append(TextLine(" ".join(text.split()), box, words=words))

    def rule(self, x0: float, y0: float, x1: float, y1: float, fill: str = "black", width: int = 2) -> None:
        self.pen.line((x0, y0, x1, y1), fill, width)

    def grid(self, xs: list[int], ys: list[int], fill: str = "black", width: int = 2) -> None:
        for x in xs:
            self.rule(x, ys[0], x, ys[-1], fill, width)
        for y in ys:
            self.rule(xs[0], y, xs[-1], y, fill, width)

    def shade(self, x0: int, y0: int, x1: int, y1: int, fill: str) -> None:
        self.pen.rectangle((x0, y0, x1, y1), fill)
