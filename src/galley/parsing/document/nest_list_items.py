"""Pass: how deep list items are nested."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from galley.document import Block, Label, Page
from galley.parsing.document.state import DocumentState, type_size

_NUMBER = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,5})\.?\s")
DEEPEST = 6
"""Deepest level."""
SAME_INDENT = 0.8
"""In type sizes of the item: how far left edges of one level differ."""


def nest_list_items(pages: Iterable[Page], document: DocumentState) -> Iterator[Page]:
    """Give list items a level by how far in they stand within one run of items.

    Reads: label, bbox, lines.
    Changes: level.
    """
    for page in pages:
        _nest_lists(page)
        yield page


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
    if _is_flush(run):
        depths = [_depth(block) for block in run]
        for block, depth in zip(run, depths, strict=True):
            block.level = min(DEEPEST, max(1, depth - min(d for d in depths if d) + 1))
        return
    stack: list[float] = []
    for block in run:
        slack = SAME_INDENT * type_size(block)
        left = block.bbox.x0
        while stack and (left < stack[-1] - slack or _nearer(left, stack)):
            stack.pop()
        if not stack or left > stack[-1] + slack:
            stack.append(left)
        block.level = min(DEEPEST, len(stack))


def _is_flush(run: list[Block]) -> bool:
    """Whether the items begin at one edge and numbers of several parts tell how deep they are."""
    depths = [depth for block in run if (depth := _depth(block))]
    if len(depths) < 2 or max(depths) < 2:
        return False
    slack = SAME_INDENT * min(type_size(block) for block in run)
    lefts = [block.bbox.x0 for block in run]
    return max(lefts) - min(lefts) <= slack


def _depth(block: Block) -> int:
    """Parts of the number that an item opens with, 0 where there is none."""
    match = _NUMBER.match(block.content)
    return match[1].count(".") + 1 if match else 0


def _nearer(left: float, stack: list[float]) -> bool:
    """Whether an item stands nearer to the level outside the innermost one."""
    return len(stack) > 1 and abs(left - stack[-2]) < abs(left - stack[-1])
