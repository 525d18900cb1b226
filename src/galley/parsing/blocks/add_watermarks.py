"""Pass: text stamped aslant over the page, as blocks apart from the flow."""

from __future__ import annotations

from galley.document import Block, Label, Line
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

WATERMARK = "watermark"
"""Flag of a block that is stamped over the page."""


def add_watermarks(page: PageState, tools: PageTools) -> None:
    """Add each text that is stamped aslant over the page once, after all other blocks.

    Only a text layer tells such text apart. The blocks have the label ``aside`` and the flag ``watermark``.

    Reads: text_layer, uses_text_layer, blocks.
    Changes: blocks.
    """
    if page.uses_text_layer:
        page.blocks = [
            *page.blocks,
            *(
                Block(
                    label=Label.ASIDE,
                    bbox=word.bbox,
                    content=word.text,
                    source="pdf-text",
                    lines=[Line(text=word.text, bbox=word.bbox)],
                    flags=[WATERMARK],
                )
                for word in page.text_layer.watermarks
            ),
        ]
