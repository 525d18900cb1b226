"""Which blocks an export shows, and which of them run on from an earlier one."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from galley.document.model import Block, Label, Page
from galley.document.spans import Span, joined
from galley.errors import UsageError

_FURNITURE = {
    Label.HEADER: "headers",
    Label.FOOTER: "footers",
    Label.PAGE_NUMBER: "page-numbers",
    Label.FOOTNOTE: "footnotes",
}
KEEPABLE = tuple(_FURNITURE.values())
DEFAULT_KEEP = ("footnotes",)
"""What readable exports show unless told otherwise: a footnote is the author's text, the rest is the printer's."""
REACH = 8
"""Pages over which text may run on: more pages of nothing but pictures and tables than this end a paragraph, so
that a long document can be shown without holding all of it."""


def read_keep(keep: str | Collection[str]) -> frozenset[str]:
    """The names of page furniture to show, given as a collection or parted by commas.

    Raises:
        UsageError: With the names there are for any other.
    """
    names = keep.split(",") if isinstance(keep, str) else keep
    kept = frozenset(name.strip() for name in names if name.strip())
    for name in sorted(kept):
        if name not in KEEPABLE:
            raise UsageError(f"there is no page furniture {name!r} to keep; there are {', '.join(KEEPABLE)}")
    return kept


@dataclass
class Part:
    """A block whose text is in ``content[start:end]`` of what is shown, and the number of its page."""

    block: Block
    page: int
    start: int
    end: int


@dataclass
class Shown:
    """A block as exports show it: the text of blocks that run on from it is joined to ``content``.

    Attributes:
        parts: The blocks that ``content`` was joined from, this one first.
        spans: The styles and links of ``content``.
    """

    block: Block
    page: int
    content: str
    parts: list[Part] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)


def is_kept(block: Block, keep: Collection[str]) -> bool:
    """Whether readable exports show the block; JSON shows every block."""
    return block.label not in _FURNITURE or _FURNITURE[block.label] in keep


def shown(pages: Iterable[Page], keep: Collection[str] = DEFAULT_KEEP) -> Iterator[Shown]:
    """Blocks to show in reading order, running text joined over columns and pages.

    A block that ``continues`` is joined to the last block of its label, at most ``REACH`` pages back. Its
    ``extra["joint"]`` says with what, a space unless given; a joint of ``None`` takes the hyphen away.

    Args:
        pages: Asked for one at a time and forgotten as soon as nothing can be joined to them.
        keep: Names of ``KEEPABLE``.
    """
    waiting: deque[Shown] = deque()
    last: dict[Label, tuple[int, Shown]] = {}
    for at, page in enumerate(pages):
        last = {label: found for label, found in last.items() if at - found[0] <= REACH}
        for block in page.blocks:
            if not is_kept(block, keep):
                continue
            before = last[block.label][1] if block.label in last else None
            if block.continues and before is not None and block.table is None and before.block.table is None:
                _join(before, block, page.number)
            else:
                part = Part(block, page.number, 0, len(block.content))
                before = Shown(block, page.number, block.content, [part], block.spans)
                waiting.append(before)
            last[block.label] = (at, before)
        open_ended = {id(found) for _, found in last.values()}
        while waiting and id(waiting[0]) not in open_ended:
            yield waiting.popleft()
    yield from waiting


def _join(before: Shown, block: Block, page: int) -> None:
    joint = block.extra.get("joint", " ")
    text = before.content[:-1] if joint is None else before.content + joint
    before.spans = joined(before.spans, block.spans, min(len(before.content), len(text)), len(text))
    before.content = text + block.content
    before.parts[-1].end = min(before.parts[-1].end, len(text))
    before.parts.append(Part(block, page, len(text), len(before.content)))
