"""Text with styles and links to Markdown (CommonMark 0.31, GFM), with HTML's tags where its marks would not be read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from galley.document.markdown_escape import escape, escape_between_marks
from galley.document.spans import Span, Style, clipped

RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
"""Digits that plain text has as superscripts stand in ``<sup>``."""
_MARKS = {Style.BOLD: "**", Style.ITALIC: "*", Style.STRIKE: "~~"}
_TAGS = {
    Style.BOLD: "strong",
    Style.ITALIC: "em",
    Style.STRIKE: "del",
    Style.UNDERLINE: "u",
    Style.SUPERSCRIPT: "sup",
    Style.SUBSCRIPT: "sub",
}
_QUOTED = {char: f"%{ord(char):02X}" for char in ' ()<>\\"`|'}
_SCHEME = re.compile(r"^(?:https?://|mailto:|tel:)", re.IGNORECASE)


class _Piece(NamedTuple):
    """Text of one style. marks: what surrounds it, styles and the address of a link."""

    text: str
    marks: tuple[Style | str, ...] = ()
    is_code: bool = False
    note: str | None = None


class _Edge(NamedTuple):
    """Where a mark opens or closes. pair: a number that both edges of one mark have."""

    mark: Style | str
    opens: bool
    pair: int


def markdown_text(text: str, spans: Sequence[Span], *, notes: bool = True) -> str:
    """Plain text with its spans as Markdown for the inside of lines; line breaks stay.

    Small capitals and highlights have no mark in Markdown.

    Args:
        text: Plain text.
        spans: Its styles and links.
        notes: Whether footnotes are shown, so that a mark in the text may refer to one.
    """
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(_pieces(line, clipped(spans, start, start + len(line)), notes))
        start += len(line) + 1
    if all(piece == _Piece(piece.text) for pieces in lines for piece in pieces):
        return escape(text)
    return "\n".join(map(_written, lines))


def address(link: str) -> str | None:
    """A link's address without what ends it in Markdown; None for a place of this document that has no name."""
    if link.startswith("#page="):
        return None
    return "".join(_QUOTED.get(char, char) for char in link if char.isprintable())


def _pieces(text: str, spans: Sequence[Span], notes: bool) -> list[_Piece]:
    """The text cut where its marks change."""
    found: list[_Piece] = []
    at = 0
    for span in [*spans, None]:
        start, end = (span.start, span.end) if span else (len(text), len(text))
        pieces = (
            [_Piece(text[at:start]), _piece(text[start:end], span, notes)] if span else [_Piece(text[at:])]
        )
        for piece in pieces:
            if found and piece.note is None and found[-1]._replace(text="") == piece._replace(text=""):
                found[-1] = piece._replace(text=found[-1].text + piece.text)
            elif piece.text:
                found.append(piece)
        at = end
    return found


def _piece(text: str, span: Span, notes: bool) -> _Piece:
    if span.note is not None and notes:
        return _Piece(text, note=span.note)
    link = address(span.link) if span.link else None
    if link and _is_own_address(text, link, span.styles):
        return _Piece(text)
    links = (link,) if link else ()
    # A bold full stop or bullet says nothing.
    worded = any(char.isalnum() for char in text)
    styles = tuple(style for style in _TAGS if style in span.styles and (worded or style is not Style.BOLD))
    if Style.SUPERSCRIPT in styles:
        text = text.translate(RAISED)
    return _Piece(text, (*links, *styles), Style.MONOSPACE in span.styles and bool(text.strip()))


def _is_own_address(text: str, link: str, styles: Sequence[Style]) -> bool:
    """Whether a link's text is its address, which readers of GFM find without a mark."""
    if set(styles) - {Style.MONOSPACE} or not (_SCHEME.match(text) or text.startswith("www.") or "@" in text):
        return False
    return _SCHEME.sub("", text).rstrip("/") == _SCHEME.sub("", link).rstrip("/")


def _written(pieces: Sequence[_Piece]) -> str:
    parts = _with_edges(pieces)
    tags = _unreadable(parts)
    return "".join(part if isinstance(part, str) else _edge(part, tags) for part in parts)


def _with_edges(pieces: Sequence[_Piece]) -> list[str | _Edge]:
    """Escaped texts and the edges of the marks around them, nested; of marks that open at once the longest first."""
    parts: list[str | _Edge] = []
    stack: list[_Edge] = []
    for at, piece in enumerate(pieces):
        kept = 0
        while kept < len(stack) and stack[kept].mark in piece.marks:
            kept += 1
        parts += [edge._replace(opens=False) for edge in reversed(stack[kept:])]
        del stack[kept:]
        new = [mark for mark in piece.marks if all(edge.mark != mark for edge in stack)]
        for mark in sorted(new, key=lambda mark: -_reach(pieces, at, mark)):
            stack.append(_Edge(mark, True, len(parts)))
            parts.append(stack[-1])
        linked = any(isinstance(edge.mark, str) and not isinstance(edge.mark, Style) for edge in stack)
        parts.append(_text(piece, linked))
    parts += [edge._replace(opens=False) for edge in reversed(stack)]
    return _without_pictures(parts)


def _reach(pieces: Sequence[_Piece], at: int, mark: Style | str) -> int:
    end = at
    while end < len(pieces) and mark in pieces[end].marks:
        end += 1
    return end - at


def _text(piece: _Piece, linked: bool) -> str:
    if piece.note is not None:
        return f"[^{piece.note}]"
    if not piece.is_code:
        return escape_between_marks(piece.text, brackets=linked)
    longest = max((len(run) for run in re.findall("`+", piece.text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if piece.text[0] == "`" or piece.text[-1] == "`" else ""
    return f"{fence}{pad}{piece.text}{pad}{fence}"


def _without_pictures(parts: list[str | _Edge]) -> list[str | _Edge]:
    """A ``!`` before a link's bracket would make a picture of it."""
    for at, (part, after) in enumerate(pairwise(parts)):
        if isinstance(part, str) and part.endswith("!") and _first(after, set()) == "[":
            parts[at] = part[:-1] + "\\!"
    return parts


def _unreadable(parts: Sequence[str | _Edge]) -> set[int]:
    """The pairs whose marks a reader would not take for such where they stand; they become tags."""
    tags: set[int] = set()
    while True:
        found = {
            part.pair
            for at, part in enumerate(parts)
            if not isinstance(part, str) and part.mark in _MARKS and part.pair not in tags
            and not _is_readable(parts, at, tags)
        }  # fmt: skip
        if not found:
            return tags
        tags |= found


def _is_readable(parts: Sequence[str | _Edge], at: int, tags: set[int]) -> bool:
    """Whether the run of marks at a place opens or closes what it should: CommonMark 0.31, section 6.2."""
    edge = parts[at]
    assert isinstance(edge, _Edge)
    first = last = at
    while first > 0 and _is_alike(parts[first - 1], edge, tags):
        first -= 1
    while last + 1 < len(parts) and _is_alike(parts[last + 1], edge, tags):
        last += 1
    run = [part for part in parts[first : last + 1] if isinstance(part, _Edge)]
    if any(part.opens for part in run) and not all(part.opens for part in run):
        return False
    before = _last(parts[first - 1], tags) if first else " "
    after = _first(parts[last + 1], tags) if last + 1 < len(parts) else " "
    if len(run) > 1 and _is_word(before) and _is_word(after):
        return False
    near, far = (after, before) if edge.opens else (before, after)
    return not near.isspace() and (_is_word(near) or not _is_word(far))


def _is_alike(part: str | _Edge, edge: _Edge, tags: set[int]) -> bool:
    """Whether another part is a mark of the same sign."""
    if isinstance(part, str) or part.pair in tags or part.mark not in _MARKS:
        return False
    return (part.mark is Style.STRIKE) == (edge.mark is Style.STRIKE)


def _is_word(char: str) -> bool:
    """Whether a character is neither white space nor punctuation."""
    return not char.isspace() and unicodedata.category(char)[0] not in "PS"


def _first(part: str | _Edge, tags: set[int]) -> str:
    return (part if isinstance(part, str) else _edge(part, tags))[:1] or " "


def _last(part: str | _Edge, tags: set[int]) -> str:
    return (part if isinstance(part, str) else _edge(part, tags))[-1:] or " "


def _edge(edge: _Edge, tags: set[int]) -> str:
    if not isinstance(edge.mark, Style):
        return "[" if edge.opens else f"]({edge.mark})"
    if edge.mark in _MARKS and edge.pair not in tags:
        return _MARKS[edge.mark]
    return f"<{'' if edge.opens else '/'}{_TAGS[edge.mark]}>"
