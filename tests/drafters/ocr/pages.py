"""Pages of known text for the OCR tests, drawn with the font that Pillow carries."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

PROSE = [
    "It was the best of times, it was the worst of times,",
    "it was the age of wisdom, it was the age of foolishness,",
    "it was the epoch of belief, it was the epoch of incredulity,",
    "it was the season of Light, it was the season of Darkness,",
    "it was the spring of hope, it was the winter of despair.",
]


def draw(
    lines: list[str], size: int = 28, margin: int = 60, width: int = 900, height: int | None = None
) -> np.ndarray:
    """(height, width, 3) uint8 page, black on white, one line of text below the other."""
    font = ImageFont.load_default(size)
    step = size * 2
    image = Image.new("RGB", (width, height or step * len(lines) + 2 * margin), "white")
    for row, line in enumerate(lines):
        ImageDraw.Draw(image).text((margin, margin + row * step), line, font=font, fill="black")
    return np.asarray(image)


def words(text: str) -> list[str]:
    return text.lower().replace(",", " ").replace(".", " ").split()
