"""Whether columns of lines are running text, whose sentences break where a column's width ends, or cells."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from galley.drafters.line import TextLine
from galley.parsing.blocks.paragraphs import merge_rows
from galley.parsing.text.hyphenation import EAST_ASIAN, first_word, text_width

_LEAST_LINES = 6
# Of the lines but the last: how many are full, and how many the next one carries on.
_FULL, _CARRIED_ON = 0.75, 0.5
# Words of a line on average; narrower columns are hardly ever set.
_LEAST_WORDS = 2
# Columns of text begin sentences at the same height by chance, cells of a row always.
_TOGETHER = 0.6


def are_running_text(columns: Sequence[Sequence[TextLine]]) -> bool:
    """Whether most columns side by side are running text."""
    running = [column for column in columns if runs_on(column)]
    return 2 * len(running) > len(columns) and not begin_together(running)


def runs_on(column: Sequence[TextLine]) -> bool:
    """Whether most lines of one column are full and most begin within a sentence.

    A line is full when the next one's first word would not have fitted on it. Cells have such lines by chance,
    wrapped cells of several lines many; ``begin_together`` tells those apart.
    """
    lines = merge_rows(column)
    if len(lines) < _LEAST_LINES or sum(map(_words, lines)) < _LEAST_WORDS * len(lines):
        return False
    if 2 * len({line.text for line in lines}) < len(lines):
        return False
    width = max(line.bbox.width for line in lines)
    pairs = list(pairwise(lines))
    full = sum(_is_full(line, after, width) for line, after in pairs)
    carried_on = sum(_carries_on(line, after) for line, after in pairs)
    return full >= _FULL * len(pairs) and carried_on >= _CARRIED_ON * len(pairs)


def begin_together(columns: Sequence[Sequence[TextLine]]) -> bool:
    """Whether most lines that begin anew stand level with such lines of most other columns, as the cells of a
    row do."""
    starts = [_starts(column) for column in columns]
    hits = total = 0
    for own in starts:
        others = [other for other in starts if other is not own]
        total += len(own)
        hits += sum(2 * sum(_has_level(line, other) for other in others) > len(others) for line in own)
    return hits > _TOGETHER * total


def _starts(column: Sequence[TextLine]) -> list[TextLine]:
    return [after for line, after in pairwise(merge_rows(column)) if not _carries_on(line, after)]


def _has_level(line: TextLine, others: Sequence[TextLine]) -> bool:
    reach = 0.5 * line.bbox.height
    return any(abs(line.bbox.center[1] - other.bbox.center[1]) < reach for other in others)


def _words(line: TextLine) -> float:
    """Words of a line; three East Asian characters say as much as one."""
    asian = EAST_ASIAN.findall(line.text)
    return len(asian) / 3 if asian else len(line.text.split())


def _is_full(line: TextLine, after: TextLine, width: float) -> bool:
    advance = after.bbox.width / max(1, text_width(after.text))
    return line.bbox.width + advance * (text_width(first_word(after.text)) + 1) > width


def _carries_on(line: TextLine, after: TextLine) -> bool:
    """Whether a sentence goes on from a line to the next, as far as letters tell; those without case may."""
    first = after.text.lstrip()[:1]
    return first.isalpha() and first == first.lower() and line.text.rstrip()[-1:] not in ".:。!?"
