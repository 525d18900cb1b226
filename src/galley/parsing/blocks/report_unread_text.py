"""Pass: say what the image shows as text and nobody could read."""

from __future__ import annotations

from collections.abc import Sequence

from galley.drafters.line import TextLine
from galley.drafters.ocr.tesseract import Tesseract
from galley.parsing.lines.read_other_scripts import doubtful_lines
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

UNREAD = "unread-text"
"""Flag of a block with lines that show more letters than were read."""
_FEW = 3
"""Fewer unread lines are a warning: a signature or a logo is no lost page."""
_SHARE = 0.1
"""Unless they are this share of the page's letters."""


def report_unread_text(page: PageState, tools: PageTools) -> None:
    """Flag the blocks and count the lines that show letters which were not read.

    Many of them are a failure, so that the exit code says so; few are a warning.

    Reads: image, uses_text_layer, ocr_lines, illegible_lines.
    Changes: blocks, warnings, failures.
    """
    unread = [] if page.uses_text_layer else doubtful_lines(page)
    if not unread:
        return
    page.blocks = [
        block.model_copy(update={"flags": [*block.flags, UNREAD]})
        if any(line.bbox.inside(block.bbox) > 0.5 for line in unread)
        else block
        for block in page.blocks
    ]
    message = _message(unread, tools.tesseract)
    if len(unread) < _FEW and _letters(unread) < _SHARE * _letters([*page.ocr_lines, *page.illegible_lines]):
        page.warnings = [*page.warnings, message]
    else:
        page.failures = [*page.failures, message]


def _letters(lines: Sequence[TextLine]) -> int:
    return sum(line.ink.frames for line in lines if line.ink is not None)


def _message(unread: Sequence[TextLine], tesseract: Tesseract) -> str:
    count = f"{len(unread)} lines" if len(unread) > 1 else "1 line"
    box = unread[0].bbox
    where = f"the first at {box.x0:.0f}, {box.y0:.0f} pixels"
    return f"{count} of text could not be read ({where}); {_advice(tesseract)}"


def _advice(tesseract: Tesseract) -> str:
    if not tesseract.installed:
        return (
            "scripts other than Latin, Chinese and Japanese need Tesseract and its data for the language, "
            "for example: apt install tesseract-ocr tesseract-ocr-rus"
        )
    return (
        "name the language with --lang, and install Tesseract's data for it if it is missing, "
        "for example: apt install tesseract-ocr-rus"
    )
