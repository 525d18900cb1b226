"""Pass: a page in vertical writing turned back, with its blocks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from galley.document import BBox, Block
from galley.geometry import turned as turned_box
from galley.layout.orientation import turned
from galley.parsing.page.correct_orientation import turned_layer
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools


def stand_columns_up(page: PageState, tools: PageTools) -> None:
    """Turn a page that ``lay_columns_level`` has turned back, so that boxes are those of the upright page.

    Reads: image, text_layer, regions, blocks, turned.
    Changes: image, text_layer, regions, blocks, turned.
    """
    if not page.turned:
        return
    back, width, height = 360 - page.turned, page.width, page.height

    def upright(box: BBox) -> BBox:
        return turned_box(box, back, width, height)

    page.image = turned(page.image, back)
    page.text_layer = turned_layer(page.text_layer, back, width, height)
    page.regions = [replace(region, bbox=upright(region.bbox)) for region in page.regions]
    page.blocks = [_upright_block(block, upright) for block in page.blocks]
    page.turned = 0


def _upright_block(block: Block, upright: Callable[[BBox], BBox]) -> Block:
    """The block with all its boxes turned."""
    lines = [line.model_copy(update={"bbox": upright(line.bbox)}) for line in block.lines]
    found = block.model_copy(update={"bbox": upright(block.bbox), "lines": lines})
    if block.table is not None:
        cells = [
            cell.model_copy(update={"bbox": upright(cell.bbox) if cell.bbox else None})
            for cell in block.table.cells
        ]
        found.table = block.table.model_copy(update={"cells": cells})
    return found
