"""Paragraphs that go on in the next column or on the next page."""

from __future__ import annotations

from collections.abc import Iterator

from galley.document import Block, Document, Label
from galley.parsing.hyphens import Vocabulary

_TERMINAL = tuple(".?!:;。？！：；")
_CLOSERS = "\"'”’)]»"
_HYPHENS = tuple("-‐\u00ad")
# What may stand between the two parts of a paragraph.
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
_LEAST_CHARS = 40


def link_paragraphs(document: Document) -> None:
    """Mark text blocks that go on from the one before them (``continues``), in place.

    A block goes on when the one before breaks off mid-sentence and it begins in lower case, or when a word
    is divided between the two. ``extra["joint"]`` says what to join them with; None: take the hyphen away.
    """
    words: Vocabulary | None = None
    for before, block, same_page in _neighbours(document):
        if not _goes_on(before, block) or (same_page and _set_off(before, block)):
            continue
        words = words or _vocabulary(document)
        block.continues = True
        block.extra = {**block.extra, "joint": words.joint(before.content, block.content)}


def _neighbours(document: Document) -> Iterator[tuple[Block, Block, bool]]:
    """Text blocks with the text block before and whether they share a page, when nothing but pictures and
    furniture stands between them."""
    before: Block | None = None
    home = None
    for page in document.pages:
        for block in page.blocks:
            if block.label is Label.TEXT:
                if before is not None:
                    yield before, block, home is page
                before, home = block, page
            elif block.label not in _BETWEEN:
                before = None


def _goes_on(before: Block, block: Block) -> bool:
    text, after = before.content.rstrip(), block.content.lstrip()
    if "\n" in text or "\n" in after or not text or not after or not after[0].isalpha():
        return False
    divided = text.endswith(_HYPHENS) and text[-2:-1].isalpha()
    open_end = (
        len(text) >= _LEAST_CHARS and len(before.lines) > 1 and not text.rstrip(_CLOSERS).endswith(_TERMINAL)
    )
    return after[0].islower() and (divided or open_end)


def _set_off(before: Block, block: Block) -> bool:
    """Whether the block stands below the other with space between: two paragraphs, or two items of a list."""
    height = block.lines[0].bbox.height if block.lines else block.bbox.height
    shared = min(before.bbox.x1, block.bbox.x1) - max(before.bbox.x0, block.bbox.x0)
    step = block.bbox.y0 - before.bbox.y1
    return shared > 0 and 0.5 * height < step


def _vocabulary(document: Document) -> Vocabulary:
    return Vocabulary(line.text for page in document.pages for block in page.blocks for line in block.lines)
