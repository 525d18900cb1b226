"""Styles and links of a block's text: spans with places in the plain text and boxes on the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from pydantic import Field, field_validator

from galley.document.bbox import BBox, Data


class Style(str, Enum):
    """How characters are set apart from those around them."""

    BOLD = "bold"
    ITALIC = "italic"
    UNDERLINE = "underline"
    STRIKE = "strike"
    SUPERSCRIPT = "superscript"
    SUBSCRIPT = "subscript"
    SMALL_CAPS = "small_caps"
    MONOSPACE = "monospace"
    HIGHLIGHT = "highlight"


LINK = re.compile(r"(?:https?|ftp)://\S|mailto:\S|tel:\S|#\S", re.IGNORECASE)
"""How the address of a link begins: schemes that run nothing, and places of this document."""


class Span(Data):
    """A stretch of a block's text that is styled or linked.

    Spans of a block are in order, do not overlap, and lie within its text.

    Attributes:
        start: place of its first character in the text, counted from 0 in code points.
        end: place after its last character.
        styles: its styles, in the order of ``Style``.
        link: address it leads to; ``#name`` leads to the heading of this document that has this ``anchor``.
        note: mark of the footnote it refers to, which the footnote's ``extra`` has as ``note``.
        boxes: where it stands on the page, one box for each line.
    """

    start: int = Field(ge=0)
    end: int = Field(ge=1)
    styles: list[Style] = Field(default_factory=list)
    link: str | None = None
    note: str | None = None
    boxes: list[BBox] = Field(default_factory=list)

    @field_validator("link")
    @classmethod
    def _is_safe(cls, link: str | None) -> str | None:
        if link is not None and not LINK.match(link):
            raise ValueError("a link is an address of http, https, ftp, mailto or tel, or #name")
        return link


@dataclass(frozen=True)
class CharStyle:
    """The styles and the link of one character."""

    styles: frozenset[Style] = frozenset()
    link: str | None = None

    def shared(self, other: CharStyle) -> CharStyle:
        """What two characters have in common."""
        return CharStyle(self.styles & other.styles, self.link if self.link == other.link else None)


PLAIN = CharStyle()
_ORDER = list(Style)


def in_order(styles: Iterable[Style]) -> list[Style]:
    """Styles in the order of ``Style``."""
    return sorted(set(styles), key=_ORDER.index)


def are_valid(spans: Sequence[Span], length: int) -> bool:
    """Whether spans are in order, do not overlap, say something, and lie within a text of a length."""
    at = 0
    for span in spans:
        if span.start < at or span.end <= span.start or not (span.styles or span.link or span.note):
            return False
        at = span.end
    return at <= length


def clipped(spans: Iterable[Span], start: int, end: int) -> list[Span]:
    """The spans of ``text[start:end]``; places are counted from its beginning."""
    return [
        span.model_copy(update={"start": max(span.start, start) - start, "end": min(span.end, end) - start})
        for span in spans
        if max(span.start, start) < min(span.end, end)
    ]


def joined(before: Sequence[Span], after: Sequence[Span], kept: int, at: int) -> list[Span]:
    """The spans of two texts joined to one.

    A span at the end of the first and one that is alike at the beginning of the second are one.

    Args:
        before: Spans of the first text.
        after: Spans of the second.
        kept: Length of the first text as far as it is kept.
        at: Where the second begins in the joined text.
    """
    first = clipped(before, 0, kept)
    second = [span.model_copy(update={"start": span.start + at, "end": span.end + at}) for span in after]
    return merged([*first, *second])


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; neighbours alike that meet are one."""
    found: list[Span] = []
    for span in spans:
        last = found[-1] if found else None
        if last is not None and last.end == span.start and _alike(last, span):
            found[-1] = last.model_copy(update={"end": span.end, "boxes": [*last.boxes, *span.boxes]})
        else:
            found.append(span)
    return found


def _alike(a: Span, b: Span) -> bool:
    return a.note is None and b.note is None and a.link == b.link and set(a.styles) == set(b.styles)


def over_spaces(text: str, chars: Sequence[CharStyle]) -> list[CharStyle]:
    """Styles of all characters: white space has what the characters on its two sides share, and none at an end."""
    filled = list(chars)
    last = PLAIN
    gap: list[int] = []
    for at, char in enumerate(text):
        if char.isspace():
            gap.append(at)
            continue
        for place in gap:
            filled[place] = last.shared(chars[at])
        gap = []
        last = chars[at]
    for place in gap:
        filled[place] = PLAIN
    return filled


def runs(chars: Sequence[CharStyle]) -> list[tuple[int, int, CharStyle]]:
    """Stretches of characters alike as (start, end, style); plain ones are left out."""
    found: list[tuple[int, int, CharStyle]] = []
    start = 0
    for at in range(1, len(chars) + 1):
        if at == len(chars) or chars[at] != chars[start]:
            if chars[start] != PLAIN:
                found.append((start, at, chars[start]))
            start = at
    return found
