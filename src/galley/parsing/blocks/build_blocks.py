"""Zones to blocks: paragraphs, headings, lists, code, captions, formulas and figures, each with its
confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Block, Label, Line, Table
from galley.document.table_html import table_html
from galley.drafters.formulas import Formula
from galley.drafters.line import TextLine
from galley.layout.order import rows
from galley.parsing.blocks.paragraphs import Paragraph, merge_rows, split
from galley.parsing.lines.measure_body_text import is_heading
from galley.parsing.text.hyphenation import Vocabulary, join_lines
from galley.parsing.text.markers import equation_number, is_asian_section, without_bullet
from galley.parsing.zones.split_formula_zones import is_mathematical, only_formula
from galley.parsing.zones.zone import Zone, line_height

LOW_CONFIDENCE = 0.8
FORMULA_SOURCE = "formula"
# What it takes to call rows of text a table when the detector saw none.
_LEAST_ROWS, _LEAST_COLS, _FILLED = 3, 3, 0.6

ImageSink = Callable[[str, NDArray[np.uint8]], str]
TableDrafter = Callable[[BBox, Sequence[TextLine]], Table | None]
FormulaDrafter = Callable[[BBox, Sequence[BBox]], Formula | None]


@dataclass
class Setting:
    """What building the blocks of one page needs to know.

    body, advance: usual height and character width of the page's running text in pixels. read_table: table
    structure from a box and its lines. read_formula: a formula from its box and those of its numbers. crop:
    saves the picture of a box and returns its path, None where images are not kept.
    """

    body: float
    advance: float = 0.0
    words: Vocabulary = field(default_factory=Vocabulary)
    read_table: TableDrafter | None = None
    read_formula: FormulaDrafter | None = None
    crop: Callable[[BBox], str] | None = None


def build_blocks(zones: Sequence[Zone], setting: Setting) -> list[Block]:
    """Blocks of the zones, in their order; every line of a zone is in the ``lines`` of exactly one block."""
    return [block for zone in _join_code(zones) for block in zone_blocks(zone, setting)]


def lone_formula(zones: Sequence[Zone], setting: Setting) -> Block | None:
    """The formula that a page is, if it is nothing else and can be read."""
    zone = only_formula(zones)
    if zone is None:
        return None
    block = _formula(zone, setting)
    block.bbox = BBox.around(line.bbox for line in zone.lines)
    return block if "unverified" not in block.flags and is_mathematical(block.content) else None


def _join_code(zones: Sequence[Zone]) -> list[Zone]:
    """Zones in order; listings parted by no more than a blank line are one."""
    joined: list[Zone] = []
    for zone in zones:
        before = joined[-1] if joined else None
        if before is not None and _is_code(before) and _is_code(zone):
            step = zone.bbox.y0 - before.bbox.y1
            overlap = min(before.bbox.x1, zone.bbox.x1) - max(before.bbox.x0, zone.bbox.x0)
            if 0 <= step < 2 * line_height(zone.lines) and overlap > 0:
                lines = [*before.lines, *zone.lines]
                joined[-1] = Zone(Label.CODE, before.bbox.union(zone.bbox), lines, zone.score)
                continue
        joined.append(zone)
    return joined


def _is_code(zone: Zone) -> bool:
    """Text set in a typeface of equal widths; a table in one keeps its columns as code as well."""
    kinds = (Label.TEXT, Label.REFERENCE, Label.TABLE, Label.CODE)
    return zone.label in kinds and bool(zone.lines) and all(line.mono for line in zone.lines)


def zone_blocks(zone: Zone, setting: Setting) -> list[Block]:
    """Blocks of one zone."""
    if _is_code(zone):
        return [_code(zone.lines)]
    if zone.label is Label.FIGURE:
        return [_figure(zone, setting)]
    if zone.label is Label.FORMULA:
        return [_formula(zone, setting)]
    if zone.label is Label.TABLE:
        return _table(zone, setting)
    if zone.label is Label.TITLE:
        return _heading_or_text(zone, setting)
    if zone.label in (Label.TEXT, Label.REFERENCE, Label.FOOTNOTE):
        table = _unseen_table(zone, setting)
        return [_table_block(zone, table)] if table else _text(zone, setting)
    return [_flowing(zone.label, Paragraph(merge_rows(zone.lines)), setting)]


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


def _flowing(label: Label, paragraph: Paragraph, setting: Setting) -> Block:
    texts = [line.text for line in paragraph.lines]
    content = "\n".join(texts) if paragraph.verse else join_lines(texts, setting.words)
    return text_block(label, paragraph.lines, content)


def _text(zone: Zone, setting: Setting) -> list[Block]:
    blocks = []
    for paragraph in split(zone.lines, rowwise=zone.rowwise):
        label = zone.label
        if label is Label.TEXT and paragraph.mark:
            is_section = is_asian_section(paragraph.mark) and is_heading(
                paragraph.lines, setting.body, setting.advance
            )
            label = Label.HEADING if is_section else Label.LIST_ITEM
        elif label is Label.TEXT and is_heading(paragraph.lines, setting.body, setting.advance):
            label = Label.HEADING
        block = _flowing(label, paragraph, setting)
        if label is Label.LIST_ITEM:
            block.content = without_bullet(block.content)
            block.extra = {"marker": paragraph.mark}
        blocks.append(block)
    return blocks


def _heading_or_text(zone: Zone, setting: Setting) -> list[Block]:
    lines = merge_rows(zone.lines)
    if len(lines) > 6 or not any(char.isalpha() for line in lines for char in line.text):
        return _text(Zone(Label.TEXT, zone.bbox, zone.lines, zone.score, zone.rowwise), setting)
    return [_flowing(Label.HEADING, Paragraph(lines), setting)]


def _code(lines: Sequence[TextLine]) -> Block:
    """Code with its line breaks and its indents, measured in the width of a character."""
    found = [[lines[i] for i in row] for row in rows([line.bbox for line in lines])]
    widths = [line.bbox.width / len(line.text) for line in lines if line.text]
    width = max(1e-6, float(np.median(widths)))
    left = min(line.bbox.x0 for line in lines)
    texts: list[str] = []
    bottom = found[0][0].bbox.y1
    for row in found:
        if row[0].bbox.y0 - bottom > 0.9 * row[0].bbox.height:
            texts.append("")
        bottom = max(line.bbox.y1 for line in row)
        text = ""
        for line in row:
            column = round((line.bbox.x0 - left) / width)
            text += " " * max(1 if text else 0, column - len(text)) + line.text
        texts.append(text)
    return text_block(Label.CODE, [line for row in found for line in row], "\n".join(texts))


def _formula(zone: Zone, setting: Setting) -> Block:
    """A formula as LaTeX; where it cannot be read as such, its characters as a line reader saw them, marked so."""
    numbered = [line for line in zone.lines if equation_number(line.text)]
    lines = merge_rows(zone.lines)
    read = setting.read_formula
    formula = read(zone.bbox, [line.bbox for line in numbered]) if read else None
    if not lines and not formula:
        return Block(label=Label.FORMULA, bbox=zone.bbox, flags=["failed"])
    block = text_block(Label.FORMULA, lines, "\n".join(line.text for line in lines)) if lines else None
    block = block or Block(label=Label.FORMULA, bbox=zone.bbox)
    block.bbox = zone.bbox
    if formula:
        block.content, block.confidence, block.source = formula.latex, formula.confidence, FORMULA_SOURCE
        block.flags = []
    else:
        block.flags = [*block.flags, "unverified"]
    number = equation_number(numbered[0].text) if numbered else formula.number if formula else None
    if number:
        block.extra = {"number": number}
    return block


def _figure(zone: Zone, setting: Setting) -> Block:
    """A figure; text read in it, such as axis labels, is its content."""
    lines = merge_rows(zone.lines)
    block = text_block(Label.FIGURE, lines, "\n".join(line.text for line in lines)) if lines else None
    block = block or Block(label=Label.FIGURE, bbox=zone.bbox, confidence=zone.score)
    block.bbox = zone.bbox
    block.image = setting.crop(zone.bbox) if setting.crop else None
    return block


def _table(zone: Zone, setting: Setting) -> list[Block]:
    if not zone.lines:
        return [_figure(zone, setting)]
    table = setting.read_table(zone.bbox, zone.lines) if setting.read_table else None
    if table is None:
        return _text(Zone(Label.TEXT, zone.bbox, zone.lines, zone.score, zone.rowwise), setting)
    return [_table_block(zone, table)]


def _table_block(zone: Zone, table: Table) -> Block:
    block = text_block(Label.TABLE, zone.lines, "")
    block.bbox, block.table, block.content = zone.bbox, table, table_html(table)
    return block


def _unseen_table(zone: Zone, setting: Setting) -> Table | None:
    """A table the detector missed: rows of cells that make a grid with few empty places."""
    if not zone.rowwise or setting.read_table is None or len(merge_rows(zone.lines)) < _LEAST_ROWS:
        return None
    table = setting.read_table(zone.bbox, zone.lines)
    if table is None or table.rows < _LEAST_ROWS or table.cols < _LEAST_COLS:
        return None
    filled = sum(cell.rowspan * cell.colspan for cell in table.cells if cell.text.strip())
    return table if filled >= _FILLED * table.rows * table.cols else None
