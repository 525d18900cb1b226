"""Pass: a page in vertical writing turned, so that its columns lie level, the first on top."""

from __future__ import annotations

from dataclasses import replace

from galley.geometry import turned as turned_box
from galley.layout.orientation import turned
from galley.parsing.page.correct_orientation import turned_layer
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

LEVEL = 270
"""Degrees clockwise: what ran down runs to the right, and the column on the right comes to the top."""


def lay_columns_level(page: PageState, tools: PageTools) -> None:
    """Turn a page whose text layer is set in columns, with what the detector saw, until its blocks are made.

    So all that is known of lines holds for columns. ``stand_columns_up`` turns the page back.

    Reads: image, text_layer, uses_text_layer, regions.
    Changes: image, text_layer, regions, turned.
    """
    if not (page.uses_text_layer and page.text_layer.vertical):
        return
    width, height = page.width, page.height
    page.turned = LEVEL
    page.image = turned(page.image, LEVEL)
    page.text_layer = turned_layer(page.text_layer, LEVEL, width, height)
    page.regions = [
        replace(region, bbox=turned_box(region.bbox, LEVEL, width, height)) for region in page.regions
    ]
