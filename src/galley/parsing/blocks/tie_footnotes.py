"""Pass: marks in the text tied to the footnotes they stand for."""

from __future__ import annotations

import re
from collections import Counter

from galley.document import Block, Label, Span, Style
from galley.document.markdown_spans import RAISED
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

_SIGN = re.compile(r"[\d⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[*†‡§¶]{1,3}|[a-z]")
_OPENING = re.compile(rf"\s*({_SIGN.pattern})([.)]?\s*)(?=\S)")
_NAMES = {"*": "asterisk", "†": "dagger", "‡": "double-dagger", "§": "section", "¶": "paragraph"}
"""What a note is called whose mark is a sign that Markdown takes for something else."""
_UNLABELLED = (Label.TEXT, Label.REFERENCE)
_REFERRING = (Label.TITLE, Label.HEADING, Label.TEXT, Label.LIST_ITEM, Label.CAPTION, Label.REFERENCE)

LOWER_PART = 0.5
"""Part of the page's height below which footnotes stand; raised marks above open the addresses of authors."""


def tie_footnotes(page: PageState, tools: PageTools) -> None:
    """Tie each raised mark in the text to the footnote of the page that opens with it.

    Only where both are sure: one footnote has the mark, and one place in the text. The mark's span gets ``note``, and
    the footnote's ``extra`` the same as ``note``, and ``marker``, which its text opens with. Text low on the page that
    opens with a raised mark becomes a footnote, where one place in the text has that mark.

    Reads: image.
    Changes: blocks.
    """
    low = LOWER_PART * page.height
    openings = ((at, _opening(block, low)) for at, block in enumerate(page.blocks))
    notes = {at: opening for at, opening in openings if opening is not None}
    marks = {
        at: _marks(block)
        for at, block in enumerate(page.blocks)
        if block.label in _REFERRING and at not in notes
    }
    once = Counter(name for name, _ in notes.values())
    used = Counter(name for found in marks.values() for name in found.values())
    tied = {name for name in once if once[name] == 1 and used[name] == 1}
    if not tied:
        return
    blocks = list(page.blocks)
    for at, (name, marker) in notes.items():
        if name in tied:
            extra = {**blocks[at].extra, "note": name, "marker": marker}
            spans = [span for span in blocks[at].spans if span.end > len(marker)]
            changed = {"label": Label.FOOTNOTE, "extra": extra, "spans": spans}
            blocks[at] = blocks[at].model_copy(update=changed)
    for at, found in marks.items():
        if tied & set(found.values()):
            spans = [_tied(span, found.get(n), tied) for n, span in enumerate(blocks[at].spans)]
            blocks[at] = blocks[at].model_copy(update={"spans": spans})
    page.blocks = blocks


def _opening(block: Block, low: float) -> tuple[str, str] | None:
    """The name of the mark that a footnote opens with, and the mark as it is printed with what parts it.

    low: height on the page below which text may be a footnote.
    """
    match = _OPENING.match(block.content) if block.label in (Label.FOOTNOTE, *_UNLABELLED) else None
    if match is None or (block.label in _UNLABELLED and block.bbox.y0 < low):
        return None
    raised = any(
        span.start <= match.start(1) < span.end and Style.SUPERSCRIPT in span.styles for span in block.spans
    )
    # A letter that begins a sentence is no mark, nor a figure that is part of a word.
    apart = block.label is Label.FOOTNOTE and bool(match.group(2)) and not match.group(1).isalpha()
    return (_name(match.group(1)), match.group()) if raised or apart else None


def _marks(block: Block) -> dict[int, str]:
    """The names of the marks in a text by the number of their span."""
    return {
        n: _name(text)
        for n, span in enumerate(block.spans)
        if Style.SUPERSCRIPT in span.styles
        and span.start > 0
        and _SIGN.fullmatch(text := block.content[span.start : span.end])
    }


def _name(mark: str) -> str:
    mark = mark.translate(RAISED)
    return "-".join(_NAMES[char] for char in mark) if mark[0] in _NAMES else mark


def _tied(span: Span, name: str | None, tied: set[str]) -> Span:
    return span.model_copy(update={"note": name}) if name in tied else span
