"""Pass: heading levels over a whole document, from numbering and type size, and the document's title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from galley.document import Block, Label, Page
from galley.parsing.document.state import DocumentState, TypeSizes, type_size
from galley.parsing.text.markers import numbering_depth

SAME_SIZE = 1.15
"""Ratio within which type sizes are one size: line boxes of one font vary by a tenth."""
DEEPEST = 6
"""Deepest level."""
TITLE_PART = 0.5
"""Part of the first page's height that the title stands in."""
TITLE_LARGER = 1.3
"""Least ratio of the title's type size to the running text's."""


def set_heading_levels(pages: Iterable[Page], document: DocumentState) -> Iterator[Page]:
    """Give headings levels 2 to 6, and name the title of page 1.

    Reads: label, content, bbox, lines, sizes.
    Changes: label, level.
    """
    headings = sorted(document.sizes.headings, reverse=True)
    steps: list[float] | None = None
    for page in pages:
        if page.number == 1 and (title := _title(page, document.sizes)) is not None:
            title.label, title.level = Label.TITLE, 1
            del headings[0]  # as the largest, it is no step of the others
        if steps is None:
            steps = _size_steps(headings)
        for block in page.blocks:
            if block.label is Label.HEADING:
                block.level = _level(block, steps)
        yield page


def _level(block: Block, steps: list[float]) -> int:
    depth = numbering_depth(block.content)
    by_size = next(i for i, least in enumerate(steps) if type_size(block) >= least)
    return min(DEEPEST, (depth if depth else 1 + by_size) + 1)


def _size_steps(sizes: list[float]) -> list[float]:
    """Least size of each level, of sizes from the largest down.

    A new level begins where sizes fall by more than a tenth.
    """
    steps: list[float] = []
    top = 0.0
    for size in sizes:
        if not steps or size * SAME_SIZE < top:
            top = size
            steps.append(size)
        steps[-1] = size
    return steps


def _title(page: Page, sizes: TypeSizes) -> Block | None:
    """The largest heading of the first page's upper half.

    None when another heading of the document is larger or the running text is not clearly smaller.
    """
    if any(block.label is Label.TITLE for block in page.blocks):
        return None
    upper = [b for b in page.blocks if b.label is Label.HEADING and b.bbox.y0 < TITLE_PART * page.height]
    best = max(upper, key=type_size, default=None)
    if best is None or numbering_depth(best.content):
        return None
    body = float(np.median(sizes.body)) if sizes.body else 0.0
    size = type_size(best)
    return best if size > TITLE_LARGER * body and size >= max(sizes.headings) else None
