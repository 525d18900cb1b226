"""Pass: zones to blocks, each by its label."""

from __future__ import annotations

from galley.document import Block, Label
from galley.parsing.blocks.context import BlockContext, context_of
from galley.parsing.blocks.formulas import formula_block
from galley.parsing.blocks.join_code_zones import is_code
from galley.parsing.blocks.paragraphs import Paragraph
from galley.parsing.blocks.tables import table_block, undetected_table
from galley.parsing.blocks.text import code_block, heading_or_text, running_block, text_block, text_blocks
from galley.parsing.lines.merge import merge_rows
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools


def build_blocks(page: PageState, tools: PageTools) -> None:
    """Make blocks of the zones, in their order: paragraphs, tables, formulas, figures.

    A page that has been read as a lone formula stays so. Every line of a zone is in the ``lines`` of one block.

    Reads: number, image, zones, body, blocks, text_layer, uses_text_layer.
    Changes: blocks.
    """
    if not page.blocks:
        context = context_of(page, tools)
        page.blocks = [block for zone in page.zones for block in zone_blocks(zone, context)]


def zone_blocks(zone: Zone, context: BlockContext) -> list[Block]:
    """Blocks of one zone."""
    if is_code(zone):
        return [code_block(zone.lines)]
    if zone.label is Label.FIGURE:
        return [_figure(zone, context)]
    if zone.label is Label.FORMULA:
        return [formula_block(zone, context)]
    if zone.label is Label.TABLE:
        return _table(zone, context)
    if zone.label is Label.TITLE:
        return heading_or_text(zone, context)
    if zone.label in (Label.TEXT, Label.REFERENCE, Label.FOOTNOTE):
        table = undetected_table(zone, context)
        return [table_block(zone, table)] if table else text_blocks(zone, context)
    return [running_block(zone.label, Paragraph(merge_rows(zone.lines)), context)]


def _figure(zone: Zone, context: BlockContext) -> Block:
    """A figure; text read in it, such as axis labels, is its content."""
    lines = merge_rows(zone.lines)
    block = text_block(Label.FIGURE, lines, "\n".join(line.text for line in lines)) if lines else None
    block = block or Block(label=Label.FIGURE, bbox=zone.bbox, confidence=zone.score)
    block.bbox = zone.bbox
    block.image = context.save_figure(zone.bbox) if context.save_figure else None
    return block


def _table(zone: Zone, context: BlockContext) -> list[Block]:
    if not zone.lines:
        return [_figure(zone, context)]
    table = context.read_table(zone.bbox, zone.lines) if context.read_table else None
    if table is None:
        return text_blocks(Zone(Label.TEXT, zone.bbox, zone.lines, zone.score, zone.rowwise), context)
    return [table_block(zone, table)]
