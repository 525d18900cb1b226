"""Lines of one zone to paragraphs, by spacing, indents, line ends, list marks and type size."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from galley.document import BBox
from galley.drafters.bidi import is_leftward
from galley.drafters.line import TextLine
from galley.parsing.lines.merge import merge_rows
from galley.parsing.text.hyphenation import first_word, text_width
from galley.parsing.text.markers import bare_number, bullet, enumerator

# In heights of a line:
INDENT = 0.6
"""Least indent of a first line."""
DEEP_INDENT = 3.0
"""Indent of a line that is set in for another reason than to begin a paragraph."""
SAME_INDENT = 0.4
"""How far left edges of one margin differ."""
EARLY = 1.5
"""White space left at a line's end, besides the next word's, that shows that the line ends early."""
VARIED = 1.4
"""How much the left edges of centred lines vary."""
MIDDLE_SPREAD = 0.5
"""Most standard deviation of the middles of centred lines."""
# Ratios:
SPACING = 1.3
"""Of the usual step to the next line: a larger one begins a paragraph."""
OTHER_SIZE = 1.35
"""Of the heights of two lines in different type sizes."""
# Characters of a line:
SHORT = 25
"""No column of running text is narrower on average."""
SHORT_CENTRED = 45
"""Nor does centred running text have shorter lines."""
LONG = 60
"""Lines whose breaks are part of the text are no longer."""
# Shares of lines:
HANGING = 0.5
"""Lines set in, from which on the others are the first lines of entries."""
ENDING_EARLY = 0.5
"""Lines that end early, from which on breaks are part of the text."""
ENTRIES = 0.75
"""Short lines that begin like those of an address."""
_OPEN_END = re.compile(
    r"\b(the|a|an|of|to|in|on|at|by|for|from|with|and|or|that|than|as|is|are|was|were|be|its|their"
    r"|der|die|das|den|dem|des|ein|eine|einer|und|oder|von|mit|zu|zur|zum|im|auf|für|bei|ist"
    r"|le|la|les|des|du|un|une|et|ou|de|dans|par|pour|sur|avec|est|el|los|las|una|y|por|para|con|del"
    r"|il|lo|gli|di|che|per|da|nel|della)$"
)
"""Words that no sentence ends with: articles, prepositions, conjunctions of five languages."""
_PROVISION = re.compile(
    r"\s*(?:Art(?:icle|ikel|ículo|icolo|\.)?|Sec(?:tion|\.)|§+|Par(?:agraph|\.)|Cl(?:ause|\.)|Abs(?:atz|\.))\s*\d+"
)
"""What a provision of a law or a contract opens with."""
_NOTE = re.compile(r"\s*[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}\s*[^\W\d_]")
"""What a footnote opens with; in running text a raised figure follows a word."""
_CLOSED = re.compile(r"[.;:!?][\"'”’)\]]*\s*$")
_BROKEN = re.compile(r"([^\W_])[-‐\u00ad]\s*$")


@dataclass
class Paragraph:
    """Rows of one paragraph, each row one line.

    Attributes:
        lines: The rows.
        keeps_breaks: Whether the line breaks are part of the text, as in addresses and receipts.
        mark: The bullet or number it opens with as an item of a list.
    """

    lines: list[TextLine]
    keeps_breaks: bool = False
    mark: str | None = None

    @property
    def bbox(self) -> BBox:
        """The box around its rows."""
        return BBox.around(line.bbox for line in self.lines)


def split(lines: Sequence[TextLine], *, rowwise: bool = False) -> list[Paragraph]:
    """Paragraphs of one zone. ``rowwise``: the lines are cells of rows, whose breaks are kept."""
    columns = [list(lines)] if rowwise else _columns(lines)
    return [paragraph for column in columns for paragraph in _column_paragraphs(merge_rows(column), rowwise)]


def _column_paragraphs(lines: list[TextLine], rowwise: bool) -> list[Paragraph]:
    """Paragraphs of one column; one that is written to the left is looked at in the mirror."""
    if 2 * sum(is_leftward(line.text) for line in lines) <= len(lines):
        return _Column(lines).paragraphs(rowwise)
    mirrored = [replace(line, bbox=_mirrored(line.bbox)) for line in lines]
    own = {id(image): line for image, line in zip(mirrored, lines, strict=True)}
    return [
        replace(paragraph, lines=[own[id(line)] for line in paragraph.lines])
        for paragraph in _Column(mirrored).paragraphs(rowwise)
    ]


def _mirrored(box: BBox) -> BBox:
    return BBox(x0=-box.x1, y0=box.y0, x1=-box.x0, y1=box.y1)


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
        aligned = (
            float(middles.std()) < MIDDLE_SPREAD * self.height and float(high - low) > VARIED * self.height
        )
        return len(self.lines) > 1 and aligned

    @cached_property
    def hanging(self) -> bool:
        """Rows go on further in than they begin, as in reference lists.

        Most rows are indented, some are not.
        """
        inset = [self._indent(line) > INDENT for line in self.lines]
        return len(inset) > 3 and HANGING < float(np.mean(inset)) < 1 and not inset[0] and not self.centred

    @cached_property
    def keeps_breaks(self) -> bool:
        """Whether the line breaks are part of the text.

        Most rows end where the next row's first word would still have fitted, or all are short and centred or begin
        like lines of an address.
        """
        if len(self.lines) < 2:
            return False
        if self.centred:
            return float(np.mean([len(line.text) for line in self.lines])) < SHORT_CENTRED
        if any(self._runs_on(i) or self._breaks_a_word(i) for i in range(len(self.lines) - 1)):
            return False
        ends = [self._ends_early(i) for i in range(len(self.lines) - 1)]
        starts = [line.text.lstrip()[:1] for line in self.lines]
        entries = [start.isupper() or start.isdigit() for start in starts]
        short = float(np.mean([len(line.text) for line in self.lines])) < SHORT
        return float(np.mean(ends)) >= ENDING_EARLY or (short and float(np.mean(entries)) >= ENTRIES)

    def _breaks_a_word(self, i: int) -> bool:
        """Whether row ``i`` ends in the middle of a word, a compound or a span of years that the next goes on with.

        Only running text does.
        """
        return bool(_BROKEN.search(self.lines[i].text)) and self.lines[i + 1].text.lstrip()[:1].isalnum()

    def paragraphs(self, rowwise: bool) -> list[Paragraph]:
        marked = any(self._mark(i) for i in range(len(self.lines)))
        keeps_breaks = not marked and (rowwise or self.keeps_breaks)
        found: list[Paragraph] = []
        for i, line in enumerate(self.lines):
            if not found or self._begins(i, keeps_breaks):
                found.append(Paragraph([line], keeps_breaks, self._mark(i)))
            else:
                found[-1].lines.append(line)
        return found

    def _begins(self, i: int, keeps_breaks: bool) -> bool:
        line, before = self.lines[i], self.lines[i - 1]
        step = line.bbox.center[1] - before.bbox.center[1]
        ratio = line.bbox.height / max(1e-6, before.bbox.height)
        if step > SPACING * max(self.pitch, self.height) or (
            not 1 / OTHER_SIZE < ratio < OTHER_SIZE and line.size != before.size
        ):
            return True
        if self._mark(i) or _NOTE.match(line.text) or (i in self.provisions and _CLOSED.search(before.text)):
            return True
        if keeps_breaks or self.centred:
            return False
        if self.hanging:
            return self._indent(line) <= INDENT
        indented = self._indent(line) > INDENT and self._indent(before) <= INDENT
        return (indented and not self._mark(i - 1)) or (
            self._ends_early(i - 1)
            and not self._breaks_a_word(i - 1)
            and not self._indent(before) > DEEP_INDENT
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
            and abs(self._indent(self.lines[i]) - self._indent(self.lines[i - 1])) < SAME_INDENT
            and (not self._ends_early(i - 1))
        )

    @cached_property
    def numbers(self) -> dict[int, str]:
        """Rows at the left edge that open with bare numbers which count up one by one, as items do."""
        found = {
            i: number
            for i, line in enumerate(self.lines)
            if self._indent(line) <= INDENT and (number := bare_number(line.text)) is not None
        }
        values = list(found.values())
        counting = len(values) > 1 and values == list(range(values[0], values[0] + len(values)))
        return {i: str(number) for i, number in found.items()} if counting else {}

    @cached_property
    def provisions(self) -> set[int]:
        """Rows that open like a numbered provision, where more than one does."""
        found = {i for i, line in enumerate(self.lines) if _PROVISION.match(line.text)}
        return found if len(found) > 1 else set()

    def _indent(self, line: TextLine) -> float:
        return (line.bbox.x0 - self.left) / self.height

    def _runs_on(self, i: int) -> bool:
        """Whether a row as long as those of prose breaks off where the column ends."""
        text, after = self.lines[i].text.rstrip(), self.lines[i + 1].text.lstrip()
        is_open = text[-1:].isalpha() or text[-1:] in ",-"
        return text_width(text) >= LONG and is_open and after[:1].isalpha() and not self._ends_early(i)

    def _ends_early(self, i: int) -> bool:
        """Whether the first word of the next row would have fitted at this row's end, and a sentence may end there."""
        line, after = self.lines[i], self.lines[i + 1]
        if text_width(line.text) >= SHORT and _OPEN_END.search(line.text.rstrip()):
            return False
        first = first_word(after.text)
        width = after.bbox.width * (text_width(first) + 1) / max(1, text_width(after.text))
        return line.bbox.x1 + width + EARLY * self.height < self.right
