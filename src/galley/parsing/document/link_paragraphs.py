"""Pass: paragraphs that go on in the next column or on the next page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from galley.document import Block, Label, Page
from galley.document.select import REACH
from galley.geometry import shared_width
from galley.parsing.document.state import DocumentState

LEAST_CHARS = 40
"""Characters of a text block that breaks off in mid-sentence; shorter ones are labels."""
SET_OFF = 0.5
"""In line heights: white space between two blocks that are two paragraphs."""
_TERMINAL = tuple(".?!:;。？！：；")
_CLOSERS = "\"'”’)]»"
_HYPHENS = tuple("-‐\u00ad")
_BETWEEN = (
    Label.FIGURE,
    Label.TABLE,
    Label.CAPTION,
    Label.FOOTNOTE,
    Label.HEADER,
    Label.FOOTER,
    Label.PAGE_NUMBER,
    Label.ASIDE,
)
"""What may stand between the two parts of a paragraph."""


def link_paragraphs(pages: Iterable[Page], document: DocumentState) -> Iterator[Page]:
    """Mark text blocks that go on from the one before them.

    A block goes on when nothing but pictures and furniture stands between the two, and the one before breaks off in
    mid-sentence and it begins in lower case, or a word is divided between the two. ``extra["joint"]`` says what to
    join them with; None: take the hyphen away.

    Reads: label, content, bbox, lines, extra, words.
    Changes: continues, extra.
    """
    before: Block | None = None
    age = 0  # in pages
    for page in pages:
        age += 1
        for block in page.blocks:
            if block.label is Label.TEXT:
                if before is not None and age <= REACH and _goes_on(before, block, same_page=age == 0):
                    block.continues = True
                    block.extra = {
                        **block.extra,
                        "joint": document.words.joint(before.content, block.content),
                    }
                before, age = block, 0
            elif block.label not in _BETWEEN:
                before = None
        yield page


def _goes_on(before: Block, block: Block, same_page: bool) -> bool:
    text, after = before.content.rstrip(), block.content.lstrip()
    if "\n" in text or "\n" in after or not text or not after or not after[0].isalpha():
        return False
    divided = text.endswith(_HYPHENS) and text[-2:-1].isalpha()
    open_end = (
        len(text) >= LEAST_CHARS and len(before.lines) > 1 and not text.rstrip(_CLOSERS).endswith(_TERMINAL)
    )
    return after[0].islower() and (divided or open_end) and not (same_page and _set_off(before, block))


def _set_off(before: Block, block: Block) -> bool:
    """Whether the block stands below the other with space between: two paragraphs, or two items of a list."""
    height = block.lines[0].bbox.height if block.lines else block.bbox.height
    step = block.bbox.y0 - before.bbox.y1
    return shared_width(before.bbox, block.bbox) > 0 and step > SET_OFF * height
