"""Pass: what the detector takes the fields of a form for."""

from __future__ import annotations

from galley.document import Label
from galley.geometry import shared_height, shared_width
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

HOLDING_FIELDS = (Label.TABLE, Label.TEXT, Label.LIST_ITEM)
"""What fields may stand in."""


def drop_regions_over_fields(page: PageState, tools: PageTools) -> None:
    """Drop regions that hold fields of a form but are said to be figures, references, formulas or the like.

    Reads: text_layer, regions.
    Changes: regions.
    """
    boxes = [field.bbox for field in page.text_layer.fields]
    page.regions = [
        region
        for region in page.regions
        if region.label in HOLDING_FIELDS
        or not any(shared_width(region.bbox, box) > 0 < shared_height(region.bbox, box) for box in boxes)
    ]
