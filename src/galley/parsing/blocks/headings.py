"""Which paragraphs are headings, by type size, weight and numbering."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from galley.drafters.line import TextLine
from galley.parsing.lines.measure_body_text import advance_of, size_of
from galley.parsing.page.state import BodyText
from galley.parsing.text.markers import is_asian_section, numbering_depth

LARGER = 1.3
"""Least ratio of a heading's type size to the running text's, where size alone tells."""
WIDER = 1.12
"""Least ratio of its characters' width to theirs, for lines whose size is that of their box."""
MOST_CHARS = 150
"""Characters of the longest heading."""
MOST_SECTION_CHARS = 25
"""Characters of the longest Chinese heading that its number alone tells."""


def is_heading(lines: Sequence[TextLine], body: BodyText) -> bool:
    """Whether a paragraph, set apart from its neighbours, reads as a heading.

    The box of a line read by OCR is as high as its tallest sign, be it an index or an integral; larger type is wider
    too.

    Args:
        lines: Of the paragraph.
        body: Measures of the page's running text.
    """
    text = " ".join(line.text for line in lines)
    letters = sum(char.isalpha() for char in text)
    if len(lines) > 3 or len(text) > MOST_CHARS or letters < 3 or 2 * letters < len(text.replace(" ", "")):
        return False
    if _is_larger(lines, body):
        return True
    closed = text.rstrip().endswith((".", ",", ";", "。", "，", "；", "：", "）"))
    if len(lines) == 1 and len(text) <= MOST_SECTION_CHARS and is_asian_section(text) and not closed:
        return True
    if all(line.bold for line in lines) and not closed:
        return True
    return False if closed else len(lines) == 1 and bool(numbering_depth(text)) and text.isupper()


def _is_larger(lines: Sequence[TextLine], body: BodyText) -> bool:
    if float(np.median([size_of(line) for line in lines])) < LARGER * body.height:
        return False
    measured = [advance_of(line) for line in lines if line.source == "ocr"]
    return not measured or float(np.median(measured)) >= WIDER * body.advance
