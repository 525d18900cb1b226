"""Styles and links of a block's text from those of the words it was joined from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from galley.document import BBox, Span
from galley.document.spans import PLAIN, CharStyle, in_order, over_spaces, runs
from galley.drafters.line import TextLine, Word

SKIPPED = 4
"""Characters of the words that the text may leave out at one place: a hyphen, a bullet."""
SAME = 6
"""Characters in a row by which the place in the words is found again where more differs."""


class _Source(NamedTuple):
    """A character of a line's words."""

    char: str
    style: CharStyle
    line: int
    box: Sequence[float]


def spans_of(text: str, lines: Sequence[TextLine]) -> list[Span]:
    """The spans of a text that was joined from lines, which may have lost hyphens and marks on the way."""
    if all(word.styles is None for line in lines for word in line.words):
        return []
    source = [
        char for number, line in enumerate(lines) for word in line.words for char in _chars(word, number)
    ]
    places = _places(text, "".join(char.char for char in source))
    styles = over_spaces(text, [PLAIN if place is None else source[place].style for place in places])
    found = []
    for start, end, style in runs(styles):
        chars = [source[place] for place in places[start:end] if place is not None]
        span = Span(start=start, end=end, styles=in_order(style.styles), link=style.link, boxes=_boxes(chars))
        found.append(span)
    return found


def _chars(word: Word, line: int) -> list[_Source]:
    """The characters of a word but for white space."""
    whole = (word.bbox.x0, word.bbox.y0, word.bbox.x1, word.bbox.y1)
    if word.styles is None or word.char_boxes is None or len(word.char_boxes) != len(word.text):
        return [_Source(char, PLAIN, line, whole) for char in word.text if not char.isspace()]
    corners = word.char_boxes.tolist()
    chars = zip(word.text, word.styles, corners, strict=True)
    return [_Source(char, style, line, box) for char, style, box in chars if not char.isspace()]


def _places(text: str, source: str) -> list[int | None]:
    """For each character of a text the place in ``source`` that it comes from; None for white space and additions."""
    places: list[int | None] = []
    at = 0
    for index, char in enumerate(text):
        if char.isspace():
            places.append(None)
            continue
        found = source.find(char, at, at + SKIPPED + 1)
        if found < 0:
            ahead = "".join(text[index : index + 2 * SAME].split())[:SAME]
            found = source.find(ahead, at) if len(ahead) == SAME else -1
        places.append(found if found >= 0 else None)
        at = found + 1 if found >= 0 else at
    return places


def _boxes(chars: Sequence[_Source]) -> list[BBox]:
    """A box around the characters of each line."""
    lines: dict[int, list[Sequence[float]]] = {}
    for char in chars:
        lines.setdefault(char.line, []).append(char.box)
    return [
        BBox(
            x0=min(box[0] for box in boxes),
            y0=min(box[1] for box in boxes),
            x1=max(box[2] for box in boxes),
            y1=max(box[3] for box in boxes),
        )
        for boxes in lines.values()
    ]
