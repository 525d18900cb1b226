"""Whether columns of lines are cells, to be read across, or running text, to be read down.

Columns of running text break their sentences where the column's width ends. Cells are short, stand level with their
neighbours, and the cells of a row begin together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.layout.order import Rowwise, Strip, strips
from galley.parsing.lines.merge import merge_rows
from galley.parsing.text.hyphenation import EAST_ASIAN, first_word, text_width

MOST_CELL_CHARS = 14
"""Characters of a usual cell on average; longer ones are running text."""
LEVEL = 0.3
"""In heights of the lower of two cells: farthest that the middles of cells of one row are apart; lines of columns side
by side are nearer by chance."""
LEAST_LEVEL = 0.6
"""Share of cells that stand in a row with one of another column."""
LEAST_LINES = 6
"""Lines of a column that are enough to call it running text."""
LEAST_FULL = 0.75
"""Share of a column's lines, but the last, that fill its width."""
LEAST_CARRIED_ON = 0.5
"""Share of a column's lines, but the last, that the next one carries on."""
LEAST_WORDS = 2
"""Words of a line on average; narrower columns are hardly ever set."""
LEAST_TOGETHER = 0.6
"""Share of sentences that begin level with one of another column: in columns of text by chance, in the cells of a row
always."""


def reads_across(lines: Sequence[TextLine]) -> Rowwise:
    """The test whether columns of ``lines`` are columns of cells, to read across, rather than of prose.

    Cells are short and stand in rows; so are and do the lines of narrow columns of text, but their sentences
    go on from line to line. Two columns of short words alone may as well be two addresses side by side; there
    it takes figures, list marks or colons to tell.
    """

    def test(columns: list[list[int]]) -> bool:
        parts = [[lines[i] for i in column] for column in columns]
        short = sum(mean_chars(part) <= MOST_CELL_CHARS for part in parts)
        if 2 * short < len(parts) or not _aligned([[line.bbox for line in part] for part in parts]):
            return False
        if are_running_text(parts):
            return False
        return len(parts) > 2 or any(map(_are_values, parts)) or _are_keys(parts[0])

    return test


def _aligned(columns: list[list[BBox]]) -> bool:
    """Whether most boxes of the columns but the longest stand on a row of another column."""
    fewest = sorted(columns, key=len)[: max(1, len(columns) - 1)]
    hits = total = 0
    for column in fewest:
        others = [box for other in columns if other is not column for box in other]
        total += len(column)
        hits += sum(
            any(abs(b.center[1] - o.center[1]) < LEVEL * min(b.height, o.height) for o in others)
            for b in column
        )
    return hits >= LEAST_LEVEL * total


def _are_values(column: Sequence[TextLine]) -> bool:
    """Mostly figures, or marks of a few characters."""
    values = [
        line
        for line in column
        if len(line.text) <= 3 or 2 * sum(map(str.isalpha, line.text)) < len(line.text)
    ]
    return 2 * len(values) >= len(column)


def _are_keys(column: Sequence[TextLine]) -> bool:
    return 2 * sum(line.text.rstrip().endswith(":") for line in column) >= len(column)


def mean_chars(lines: Sequence[TextLine]) -> float:
    """Characters of a line on average; East Asian ones count twice."""
    return float(np.mean([text_width(line.text) for line in lines]))


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
    if len(lines) < LEAST_LINES or sum(map(_words, lines)) < LEAST_WORDS * len(lines):
        return False
    if 2 * len({line.text for line in lines}) < len(lines):
        return False
    width = max(line.bbox.width for line in lines)
    pairs = list(pairwise(lines))
    full = sum(_is_full(line, after, width) for line, after in pairs)
    carried_on = sum(_carries_on(line, after) for line, after in pairs)
    return full >= LEAST_FULL * len(pairs) and carried_on >= LEAST_CARRIED_ON * len(pairs)


def begin_together(columns: Sequence[Sequence[TextLine]]) -> bool:
    """Whether most lines that begin anew stand level with such lines of most other columns.

    So do the cells of a row.
    """
    starts = [_starts(column) for column in columns]
    hits = total = 0
    for own in starts:
        others = [other for other in starts if other is not own]
        total += len(own)
        hits += sum(2 * sum(_has_level(line, other) for other in others) > len(others) for line in own)
    return hits > LEAST_TOGETHER * total


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


def strips_of(lines: Sequence[TextLine]) -> list[tuple[Strip, list[TextLine]]]:
    """Parts of the lines that are read one after another, with their lines."""
    height = float(np.median([line.bbox.height for line in lines])) if lines else 1.0
    found = strips([line.bbox for line in lines], height, reads_across(lines))
    return [(strip, [lines[i] for i in strip.indices]) for strip in found]
