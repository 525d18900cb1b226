"""Heading levels over a whole document, from numbering and type size; the document's title; list depths."""

from __future__ import annotations

import numpy as np

from galley.document import Block, Document, Label, Page
from galley.parsing.markers import numbering_depth

# Type sizes within this ratio are one size: line boxes of one font vary by a tenth.
_SAME_SIZE = 1.15
_DEEPEST = 6


def set_levels(document: Document) -> None:
    """Give headings levels 2 to 6, name the title of the first page, and nest list items, in place."""
    _name_title(document)
    headings = [block for page in document.pages for block in page.blocks if block.label is Label.HEADING]
    steps = _size_steps([type_size(block) for block in headings])
    for block in headings:
        depth = numbering_depth(block.content)
        by_size = next(i for i, least in enumerate(steps) if type_size(block) >= least)
        block.level = min(_DEEPEST, (depth if depth else 1 + by_size) + 1)
    for page in document.pages:
        _nest_lists(page)


def type_size(block: Block) -> float:
    """Median height of a block's lines in pixels."""
    heights = [line.bbox.height for line in block.lines]
    return float(np.median(heights)) if heights else block.bbox.height


def _size_steps(sizes: list[float]) -> list[float]:
    """Least size of each level, largest level first: a new level begins where sizes fall by more than a
    tenth.
    """
    steps: list[float] = []
    top = 0.0
    for size in sorted(sizes, reverse=True):
        if not steps or size * _SAME_SIZE < top:
            top = size
            steps.append(size)
        steps[-1] = size
    return steps


def _name_title(document: Document) -> None:
    """The largest heading of the first page's upper half, when clearly larger than the document's other
    headings.
    """
    first = next((page for page in document.pages if page.number == 1), None)
    if first is None or any(block.label is Label.TITLE for block in first.blocks):
        return
    headings = [b for page in document.pages for b in page.blocks if b.label is Label.HEADING]
    upper = [b for b in first.blocks if b.label is Label.HEADING and b.bbox.y0 < 0.5 * first.height]
    best = max(upper, key=type_size, default=None)
    if best is None or numbering_depth(best.content):
        return
    text = [b for page in document.pages for b in page.blocks if b.label in (Label.TEXT, Label.LIST_ITEM)]
    others = [type_size(b) for b in headings if b is not best]
    body = float(np.median([type_size(b) for b in text])) if text else 0.0
    if type_size(best) > 1.3 * body and type_size(best) >= max(others, default=0.0):
        best.label = Label.TITLE
        best.level = 1


def _nest_lists(page: Page) -> None:
    """Depth of list items by how far in they stand within one run of items."""
    run: list[Block] = []
    for block in [*page.blocks, None]:
        if block is not None and block.label is Label.LIST_ITEM:
            run.append(block)
            continue
        _nest(run)
        run = []


def _nest(run: list[Block]) -> None:
    stack: list[float] = []
    for block in run:
        slack = 0.8 * type_size(block)
        left = block.bbox.x0
        while stack and left < stack[-1] - slack:
            stack.pop()
        if not stack or left > stack[-1] + slack:
            stack.append(left)
        block.level = min(_DEEPEST, len(stack))
