"""Pass: measures of the page's running text, which headings and footnotes are told from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from galley.drafters.line import TextLine
from galley.parsing.page.state import BodyText, PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.text.hyphenation import Vocabulary, text_width


def measure_body_text(page: PageState, tools: PageTools) -> None:
    """Measure the usual type size and character width, and learn the page's words.

    Reads: lines.
    Changes: body.
    """
    page.body = body_text(page.lines)


def body_text(lines: Sequence[TextLine]) -> BodyText:
    """Measures of the running text among the lines of a page."""
    return BodyText(body_height(lines), body_advance(lines), Vocabulary(line.text for line in lines))


def body_height(lines: Sequence[TextLine]) -> float:
    """Type size of the page's running text in pixels.

    The height of the line that holds the middle character when lines are sorted by height.
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
