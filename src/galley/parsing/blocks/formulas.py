"""Blocks of displayed formulas."""

from __future__ import annotations

from galley.document import Block, Label
from galley.parsing.blocks.context import BlockContext
from galley.parsing.blocks.text import text_block
from galley.parsing.lines.merge import merge_rows
from galley.parsing.page.state import Zone
from galley.parsing.text.markers import equation_number

FORMULA_SOURCE = "formula"
"""``Block.source`` of formulas read as LaTeX."""


def formula_block(zone: Zone, context: BlockContext) -> Block:
    """A formula as LaTeX; where it cannot be read as such, its characters as a line reader saw them, marked so."""
    numbered = [line for line in zone.lines if equation_number(line.text)]
    lines = merge_rows(zone.lines)
    read = context.read_formula
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
