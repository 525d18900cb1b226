"""Which lines are headings, by type size, weight and numbering."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from galley.drafters.line import TextLine
from galley.parsing.text.hyphenation import text_width
from galley.parsing.text.markers import is_asian_section, numbering_depth

_LARGER = 1.3
# How much wider than the body's the characters of larger type are at least.
_WIDER = 1.12
_MAX_CHARS = 150
# Characters of a Chinese heading that its number tells.
_MAX_SECTION = 25


def body_height(lines: Sequence[TextLine]) -> float:
    """Height of the lines that hold the page's middle character when sorted by height: its running text,
    in pixels.
    """
    return _of_middle_character(lines, size_of)


def body_advance(lines: Sequence[TextLine]) -> float:
    """Width of a character of the page's running text in pixels; East Asian characters count twice."""
    return _of_middle_character(lines, advance_of)


def _of_middle_character(lines: Sequence[TextLine], measure: Callable[[TextLine], float]) -> float:
    if not lines:
        return 1.0
    values = np.array([measure(line) for line in lines])
    weights = np.array([len(line.text) for line in lines])
    order = np.argsort(values)
    middle = np.searchsorted(np.cumsum(weights[order]), weights.sum() / 2)
    return float(values[order][min(int(middle), len(lines) - 1)])


def size_of(line: TextLine) -> float:
    """Type size where the drafter knows it, else the line's height, in pixels."""
    return line.size or line.bbox.height


def advance_of(line: TextLine) -> float:
    """Mean width of the line's characters in pixels."""
    return line.bbox.width / max(1, text_width(line.text))


def is_heading(lines: Sequence[TextLine], body: float, advance: float = 0.0) -> bool:
    """Whether a paragraph of the given lines, set apart from its neighbours, reads as a heading.

    body, advance: ``body_height`` and ``body_advance`` of the page. The box of a line read by OCR is as high as its
    tallest sign, be it an index or an integral; larger type is wider too.
    """
    text = " ".join(line.text for line in lines)
    letters = sum(char.isalpha() for char in text)
    if len(lines) > 3 or len(text) > _MAX_CHARS or letters < 3 or 2 * letters < len(text.replace(" ", "")):
        return False
    if _is_larger(lines, body, advance):
        return True
    closed = text.rstrip().endswith((".", ",", ";", "。", "，", "；", "：", "）"))
    if len(lines) == 1 and len(text) <= _MAX_SECTION and is_asian_section(text) and not closed:
        return True
    if all(line.bold for line in lines) and not closed:
        return True
    return False if closed else len(lines) == 1 and bool(numbering_depth(text)) and text.isupper()


def _is_larger(lines: Sequence[TextLine], body: float, advance: float) -> bool:
    if float(np.median([size_of(line) for line in lines])) < _LARGER * body:
        return False
    measured = [advance_of(line) for line in lines if line.source == "ocr"]
    return not measured or float(np.median(measured)) >= _WIDER * advance
