"""Lines of one zone to paragraphs, by spacing, indents, line ends, list marks and type size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.parsing.lines.merge import merge_rows
from galley.parsing.text.hyphenation import first_word, text_width
from galley.parsing.text.markers import bare_number, bullet, enumerator

# Multiples of a line's height.
_INDENT = 0.6
_SPACING = 1.3
_BROKEN = re.compile(r"([^\W_])[-‐\u00ad]\s*$")
_SIZE = 1.35
_VARIED = 1.4
# Characters: no column of running text is narrower on average.
_SHORT = 25
_SHORT_CENTRED = 45
# No verse is wider.
_PROSE = 60


@dataclass
class Paragraph:
    """Rows of one paragraph, each row one line. ``verse``: the line breaks are part of the text
    (addresses, receipts). ``mark``: the bullet or number it opens with as an item of a list.
    """

    lines: list[TextLine]
    verse: bool = False
    mark: str | None = None

    @property
    def bbox(self) -> BBox:
        return BBox.around(line.bbox for line in self.lines)


def split(lines: Sequence[TextLine], *, rowwise: bool = False) -> list[Paragraph]:
    """Paragraphs of one zone. ``rowwise``: the lines are cells of rows, whose breaks are kept."""
    columns = [list(lines)] if rowwise else _columns(lines)
    return [paragraph for column in columns for paragraph in _Column(merge_rows(column)).paragraphs(rowwise)]


def _columns(lines: Sequence[TextLine]) -> list[list[TextLine]]:
    """Lines cut where the reading order goes back up the page to another column."""
    found: list[list[TextLine]] = []
    for line in lines:
        if found and line.bbox.y1 > found[-1][-1].bbox.center[1]:
            found[-1].append(line)
        else:
            found.append([line])
    return found


class _Column:
    """Rows of one column and the measures that tell where paragraphs begin."""

    def __init__(self, lines: list[TextLine]) -> None:
        self.lines = lines
        self.height = float(np.median([line.bbox.height for line in lines]))
        self.left = float(np.percentile([line.bbox.x0 for line in lines], 10))
        self.right = float(np.percentile([line.bbox.x1 for line in lines], 95))

    @cached_property
    def pitch(self) -> float:
        """Usual distance of one row to the next."""
        steps = [
            b.bbox.center[1] - a.bbox.center[1] for a, b in zip(self.lines, self.lines[1:], strict=False)
        ]
        return float(np.percentile(steps, 40)) if steps else self.height

    @cached_property
    def centred(self) -> bool:
        """Most rows share a middle while their left edges vary."""
        middles = np.array([line.bbox.center[0] for line in self.lines])
        lefts = np.array([line.bbox.x0 for line in self.lines])
        low, high = np.percentile(lefts, [15, 85])  # a page number below prose is no evidence
        aligned = float(middles.std()) < 0.5 * self.height and float(high - low) > _VARIED * self.height
        return len(self.lines) > 1 and aligned

    @cached_property
    def hanging(self) -> bool:
        """Rows go on further in than they begin, as in reference lists: most rows are indented, some are
        not.
        """
        inset = [self._indent(line) > _INDENT for line in self.lines]
        return len(inset) > 3 and 0.5 < float(np.mean(inset)) < 1 and not inset[0] and not self.centred

    @cached_property
    def verse(self) -> bool:
        """The line breaks are meant: most rows end where the next row's first word would still have
        fitted, or all are short and centred or begin like lines of an address."""
        if len(self.lines) < 2:
            return False
        if self.centred:
            return float(np.mean([len(line.text) for line in self.lines])) < _SHORT_CENTRED
        if any(self._runs_on(i) or self._breaks_a_word(i) for i in range(len(self.lines) - 1)):
            return False
        ends = [self._ends_early(i) for i in range(len(self.lines) - 1)]
        starts = [line.text.lstrip()[:1] for line in self.lines]
        entries = [start.isupper() or start.isdigit() for start in starts]
        short = float(np.mean([len(line.text) for line in self.lines])) < _SHORT
        return float(np.mean(ends)) >= 0.5 or (short and float(np.mean(entries)) >= 0.75)

    def _breaks_a_word(self, i: int) -> bool:
        """Whether row ``i`` ends in the middle of a word, or of a span of years, that the next goes on with: only
        running text does."""
        broken, first = _BROKEN.search(self.lines[i].text), self.lines[i + 1].text.lstrip()[:1]
        return broken is not None and (first.isdigit() if broken.group(1).isdigit() else first.islower())

    def paragraphs(self, rowwise: bool) -> list[Paragraph]:
        marked = any(self._mark(i) for i in range(len(self.lines)))
        verse = (rowwise and not marked) or (self.verse and not marked)
        found: list[Paragraph] = []
        for i, line in enumerate(self.lines):
            if not found or self._begins(i, verse):
                found.append(Paragraph([line], verse, self._mark(i)))
            else:
                found[-1].lines.append(line)
        return found

    def _begins(self, i: int, verse: bool) -> bool:
        line, before = self.lines[i], self.lines[i - 1]
        step = line.bbox.center[1] - before.bbox.center[1]
        ratio = line.bbox.height / max(1e-6, before.bbox.height)
        if step > _SPACING * max(self.pitch, self.height) or (
            not 1 / _SIZE < ratio < _SIZE and line.size != before.size
        ):
            return True
        if self._mark(i):
            return True
        if verse or self.centred:
            return False
        if self.hanging:
            return self._indent(line) <= _INDENT
        indented = self._indent(line) > _INDENT and self._indent(before) <= _INDENT
        return (indented and not self._mark(i - 1)) or (
            self._ends_early(i - 1) and not self._breaks_a_word(i - 1) and not self._indent(before) > 3
        )

    def _mark(self, i: int) -> str | None:
        """The mark of a list that a row opens with."""
        text = self.lines[i].text
        mark = bullet(text) or enumerator(text)
        if mark and mark.isdigit() and self._amid(i):  # a circled number may count what one sentence lists
            return None
        return mark or self.numbers.get(i)

    def _amid(self, i: int) -> bool:
        """Whether a row stands where the row before it runs on."""
        return (
            i > 0
            and abs(self._indent(self.lines[i]) - self._indent(self.lines[i - 1])) < 0.4
            and (not self._ends_early(i - 1))
        )

    @cached_property
    def numbers(self) -> dict[int, str]:
        """Rows at the left edge that open with bare numbers which count up one by one, as items do."""
        found = {
            i: number
            for i, line in enumerate(self.lines)
            if self._indent(line) <= _INDENT and (number := bare_number(line.text)) is not None
        }
        values = list(found.values())
        counting = len(values) > 1 and values == list(range(values[0], values[0] + len(values)))
        return {i: str(number) for i, number in found.items()} if counting else {}

    def _indent(self, line: TextLine) -> float:
        return (line.bbox.x0 - self.left) / self.height

    def _runs_on(self, i: int) -> bool:
        """Whether a row as long as those of prose breaks off where the column ends."""
        text, after = self.lines[i].text.rstrip(), self.lines[i + 1].text.lstrip()
        is_open = text[-1:].isalpha() or text[-1:] in ",-"
        return text_width(text) >= _PROSE and is_open and after[:1].isalpha() and not self._ends_early(i)

    def _ends_early(self, i: int) -> bool:
        """Whether the first word of the next row would have fitted at this row's end."""
        line, after = self.lines[i], self.lines[i + 1]
        first = first_word(after.text)
        width = after.bbox.width * (text_width(first) + 1) / max(1, text_width(after.text))
        return line.bbox.x1 + width + 1.5 * self.height < self.right
