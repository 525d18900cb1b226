"""Heading levels over a whole document, from numbering and type size; the document's title; list depths."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from galley.document import Block, Label, Page
from galley.parsing.text.markers import numbering_depth

# Type sizes within this ratio are one size: line boxes of one font vary by a tenth.
_SAME_SIZE = 1.15
_DEEPEST = 6


@dataclass
class TypeSizes:
    """The type sizes of a document's headings and of its running text, in pixels."""

    headings: array[float] = field(default_factory=lambda: array("d"))
    body: array[float] = field(default_factory=lambda: array("d"))

    def learn(self, page: Page) -> None:
        """Add those of a page."""
        for block in page.blocks:
            if block.label is Label.HEADING:
                self.headings.append(type_size(block))
            elif block.label in (Label.TEXT, Label.LIST_ITEM):
                self.body.append(type_size(block))


def set_levels(pages: Iterable[Page], sizes: TypeSizes) -> Iterator[Page]:
    """The pages with levels 2 to 6 for headings, the title of page 1 named, and list items nested, in place.

    sizes: those of all pages.
    """
    headings = sorted(sizes.headings, reverse=True)
    steps: list[float] | None = None
    for page in pages:
        if page.number == 1 and (title := _title(page, sizes)) is not None:
            title.label, title.level = Label.TITLE, 1
            del headings[0]  # as the largest, it is no step of the others
        if steps is None:
            steps = _size_steps(headings)
        for block in page.blocks:
            if block.label is Label.HEADING:
                block.level = _level(block, steps)
        _nest_lists(page)
        yield page


def _level(block: Block, steps: list[float]) -> int:
    depth = numbering_depth(block.content)
    by_size = next(i for i, least in enumerate(steps) if type_size(block) >= least)
    return min(_DEEPEST, (depth if depth else 1 + by_size) + 1)


def type_size(block: Block) -> float:
    """Median height of a block's lines in pixels."""
    heights = [line.bbox.height for line in block.lines]
    return float(np.median(heights)) if heights else block.bbox.height


def _size_steps(sizes: list[float]) -> list[float]:
    """Least size of each level, of sizes from the largest down: a new level begins where sizes fall by more than a
    tenth.
    """
    steps: list[float] = []
    top = 0.0
    for size in sizes:
        if not steps or size * _SAME_SIZE < top:
            top = size
            steps.append(size)
        steps[-1] = size
    return steps


def _title(page: Page, sizes: TypeSizes) -> Block | None:
    """The largest heading of the first page's upper half, when no other heading of the document is larger and the
    running text is clearly smaller.
    """
    if any(block.label is Label.TITLE for block in page.blocks):
        return None
    upper = [b for b in page.blocks if b.label is Label.HEADING and b.bbox.y0 < 0.5 * page.height]
    best = max(upper, key=type_size, default=None)
    if best is None or numbering_depth(best.content):
        return None
    body = float(np.median(sizes.body)) if sizes.body else 0.0
    size = type_size(best)
    return best if size > 1.3 * body and size >= max(sizes.headings) else None


def _nest_lists(page: Page) -> None:
    """Depth of list items by how far in they stand within one run of items."""
    run: list[Block] = []
    for block in [*page.blocks, None]:
        if block is not None and block.label is Label.LIST_ITEM:
            if run and block.bbox.y1 < run[-1].bbox.y0:  # the next column
                _nest(run)
                run = []
            run.append(block)
            continue
        _nest(run)
        run = []


def _nest(run: list[Block]) -> None:
    stack: list[float] = []
    for block in run:
        slack = 0.8 * type_size(block)
        left = block.bbox.x0
        while stack and (left < stack[-1] - slack or _nearer(left, stack)):
            stack.pop()
        if not stack or left > stack[-1] + slack:
            stack.append(left)
        block.level = min(_DEEPEST, len(stack))


def _nearer(left: float, stack: list[float]) -> bool:
    """Whether an item stands nearer to the level outside the innermost one."""
    return len(stack) > 1 and abs(left - stack[-2]) < abs(left - stack[-1])
