"""Pass: tables as far as the rules that bound them."""

from __future__ import annotations

from dataclasses import replace

from galley.document import Label
from galley.drafters.tables import grow_table
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools


def extend_tables(page: PageState, tools: PageTools) -> None:
    """Grow tables up and down to the rules across their width, where only cells lie before these.

    Reads: image, text_layer, uses_text_layer, lines, regions.
    Changes: regions.
    """
    found = []
    for region in page.regions:
        if region.label is Label.TABLE:
            others = [other.bbox for other in page.regions if other is not region]
            vectors = page.vectors_in(region.bbox)
            region = replace(region, bbox=grow_table(page.image, region.bbox, page.lines, others, vectors))
        found.append(region)
    page.regions = found
