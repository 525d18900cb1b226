"""Which caption belongs to which table or figure."""

from __future__ import annotations

from collections.abc import Sequence

from galley.document.model import BBox, Label
from galley.document.select import Shown

_OWNERS = (Label.TABLE, Label.FIGURE)


def caption_owners(items: Sequence[Shown]) -> dict[int, int]:
    """From the place of a caption among ``items`` to that of its table or figure.

    A caption belongs to the one beside it in reading order on its page, to the nearer of two; a run of captions
    between them counts as one. A caption that stands beside neither belongs to nothing.
    """
    owners = {}
    for at, item in enumerate(items):
        if item.block.label is not Label.CAPTION:
            continue
        beside = [n for n in (_next(items, at, -1), _next(items, at, 1)) if n is not None]
        if beside:
            owners[at] = min(beside, key=lambda n: _gap(item.block.bbox, items[n].block.bbox))
    return owners


def _next(items: Sequence[Shown], at: int, step: int) -> int | None:
    """The table or figure next to a caption, with nothing but captions between."""
    page = items[at].page
    at += step
    while 0 <= at < len(items) and items[at].page == page and items[at].block.label is Label.CAPTION:
        at += step
    beside = 0 <= at < len(items) and items[at].page == page and items[at].block.label in _OWNERS
    return at if beside else None


def _gap(a: BBox, b: BBox) -> float:
    """Distance between two boxes in pixels; 0 where they meet."""
    across = max(0.0, max(a.x0, b.x0) - min(a.x1, b.x1))
    down = max(0.0, max(a.y0, b.y0) - min(a.y1, b.y1))
    return across + down
