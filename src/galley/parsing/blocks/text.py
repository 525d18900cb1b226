"""Blocks of running text: paragraphs, headings, list items, captions, code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from galley.document import BBox, Block, Label, Line
from galley.document.spans import clipped
from galley.drafters.line import TextLine
from galley.geometry import rows
from galley.parsing.blocks.context import BlockContext
from galley.parsing.blocks.headings import is_heading
from galley.parsing.blocks.paragraphs import Paragraph, split
from galley.parsing.blocks.spans import spans_of
from galley.parsing.lines.merge import merge_rows
from galley.parsing.page.state import Zone
from galley.parsing.text.hyphenation import join_lines
from galley.parsing.text.markers import has_tick_box, is_asian_section, without_bullet

LOW_CONFIDENCE = 0.8
"""Confidence, 0 to 1, below which a block is flagged."""
MOST_HEADING_ROWS = 6
"""Rows of a zone that the detector's word makes a heading."""
BLANK_LINE = 0.9
"""In heights of a line of code: white space that is a blank line."""


def text_block(label: Label, lines: Sequence[TextLine], content: str) -> Block:
    """A block of text lines with what is known about their reading."""
    value = confidence(lines)
    return Block(
        label=label,
        bbox=BBox.around(line.bbox for line in lines),
        content=content,
        confidence=value,
        source=source(lines),
        lines=[Line(text=line.text, bbox=line.bbox, confidence=line.confidence) for line in lines],
        flags=["low-confidence"] if value is not None and value < LOW_CONFIDENCE else [],
    )


def confidence(lines: Sequence[TextLine]) -> float | None:
    """Mean of the lines' confidences weighted by their lengths; None where no line has one."""
    known = [(line.confidence, max(1, len(line.text))) for line in lines if line.confidence is not None]
    total = sum(weight for _, weight in known)
    return min(1.0, sum(value * weight for value, weight in known) / total) if total else None


def source(lines: Sequence[TextLine]) -> str | None:
    """Who read most of the text."""
    letters: dict[str, int] = {}
    for line in lines:
        letters[line.source] = letters.get(line.source, 0) + len(line.text)
    return max(letters, key=letters.__getitem__) if letters else None


def running_block(label: Label, paragraph: Paragraph, context: BlockContext) -> Block:
    """A paragraph as one block: running text, or with its line breaks where they are part of the text."""
    texts = [line.text for line in paragraph.lines]
    content = "\n".join(texts) if paragraph.keeps_breaks else join_lines(texts, context.body.words)
    block = text_block(label, paragraph.lines, content)
    block.spans = spans_of(content, paragraph.lines)
    return block


def text_blocks(zone: Zone, context: BlockContext) -> list[Block]:
    """The paragraphs of a zone as blocks; those that read so are headings or list items."""
    blocks = []
    for paragraph in split(zone.lines, rowwise=zone.rowwise):
        label = zone.label
        if label is Label.TEXT and paragraph.mark:
            is_section = is_asian_section(paragraph.mark) and is_heading(paragraph.lines, context.body)
            label = Label.HEADING if is_section else Label.LIST_ITEM
        elif label is Label.TEXT and is_heading(paragraph.lines, context.body):
            label = Label.HEADING
        block = running_block(label, paragraph, context)
        if label is Label.LIST_ITEM:
            text = without_bullet(block.content)
            block.spans = clipped(block.spans, len(block.content) - len(text), len(block.content))
            block.content = text
            block.extra = {"marker": paragraph.mark}
        blocks.append(block)
    return blocks


def heading_or_text(zone: Zone, context: BlockContext) -> list[Block]:
    """A zone that the detector took for a heading, as a heading unless it is too long or has no letters."""
    lines = merge_rows(zone.lines)
    lettered = any(char.isalpha() for line in lines for char in line.text)
    if len(lines) > MOST_HEADING_ROWS or not lettered or any(has_tick_box(line.text) for line in lines):
        return text_blocks(Zone(Label.TEXT, zone.bbox, zone.lines, zone.score, zone.rowwise), context)
    return [running_block(Label.HEADING, Paragraph(lines), context)]


def code_block(lines: Sequence[TextLine]) -> Block:
    """Code with its line breaks and its indents, measured in the width of a character."""
    found = [[lines[i] for i in row] for row in rows([line.bbox for line in lines])]
    widths = [line.bbox.width / len(line.text) for line in lines if line.text]
    width = max(1e-6, float(np.median(widths)))
    left = min(line.bbox.x0 for line in lines)
    texts: list[str] = []
    bottom = found[0][0].bbox.y1
    for row in found:
        if row[0].bbox.y0 - bottom > BLANK_LINE * row[0].bbox.height:
            texts.append("")
        bottom = max(line.bbox.y1 for line in row)
        text = ""
        for line in row:
            column = round((line.bbox.x0 - left) / width)
            text += " " * max(1 if text else 0, column - len(text)) + line.text
        texts.append(text)
    return text_block(Label.CODE, [line for row in found for line in row], "\n".join(texts))
