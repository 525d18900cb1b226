"""Page selections as users write them: ``1-3,7,12-``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from galley.errors import UsageError

_PART = re.compile(r"(\d+)\s*(-)?\s*(\d+)?")


@dataclass(frozen=True)
class PageRanges:
    """Ranges ``(first, last)`` of 1-based page numbers, both included; ``last`` None means to the end."""

    parts: tuple[tuple[int, int | None], ...]

    @classmethod
    def parse(cls, text: str) -> PageRanges:
        """Read ``1-3,7,12-``.

        Raises ``UsageError`` on anything else, ``-5`` as well: it might mean the fifth page from the end.
        """
        return cls(tuple(_parse_part(part.strip(), text) for part in text.split(",")))

    @classmethod
    def of(cls, pages: str | int | Iterable[int] | PageRanges) -> PageRanges:
        """Take any of the ways a caller may name pages."""
        if isinstance(pages, PageRanges):
            return pages
        if isinstance(pages, str):
            return cls.parse(pages)
        try:
            numbers = [pages] if isinstance(pages, int) else list(pages)
        except TypeError as error:
            raise UsageError(f"cannot read the pages {pages!r}; write them like 1-3,7,12-") from error
        return cls.parse(",".join(str(number) for number in numbers))

    def select(self, page_count: int) -> list[int]:
        """The selected pages that exist, in ascending order, each once."""
        chosen: set[int] = set()
        for first, last in self.parts:
            chosen.update(range(first, min(page_count, page_count if last is None else last) + 1))
        return sorted(chosen)

    def missing(self, page_count: int) -> list[str]:
        """The parts that name pages beyond the end, as text."""
        return [
            _part_text(max(first, page_count + 1), last)
            for first, last in self.parts
            if first > page_count or (last is not None and last > page_count)
        ]

    def __str__(self) -> str:
        return ",".join(_part_text(first, last) for first, last in self.parts)


def _parse_part(part: str, whole: str) -> tuple[int, int | None]:
    match = _PART.fullmatch(part)
    if not match:
        raise UsageError(f"cannot read the pages {whole!r}; write them like 1-3,7,12-")
    low, dash, high = match.groups()
    first = int(low)
    last = int(high) if high else (None if dash else first)
    if first < 1 or (last is not None and last < first):
        raise UsageError(f"the pages {part!r} make no sense; pages count from 1 and a range goes upwards")
    return first, last


def _part_text(first: int, last: int | None) -> str:
    if last is None:
        return f"{first}-"
    return str(first) if first == last else f"{first}-{last}"
