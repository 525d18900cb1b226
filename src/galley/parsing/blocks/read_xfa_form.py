"""Pass: a dynamic XFA form, which is no page but the description of one."""

from __future__ import annotations

from dataclasses import replace

from galley.document import BBox, Block, Cell, FormField, Label, Table
from galley.ingest.xfa import XfaItem
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

_TICKS = ("[x]", "[ ]")


def read_xfa_form(page: PageState, tools: PageTools) -> None:
    """Make blocks and fields of a dynamic XFA form; the box of each is the page, for the file gives no places.

    Reads: image, text_layer, blocks.
    Changes: text_layer, blocks.
    """
    items = page.text_layer.xfa
    if not items:
        return
    box = BBox(x0=0, y0=0, x1=page.width, y1=page.height)
    page.blocks = [block for item in items if (block := _block(item, box)) is not None]
    fields = [
        FormField(
            name=field.name,
            type=field.kind,
            value=field.checked if field.kind in ("checkbox", "radio") else field.value,
            options=list(field.options),
            label=field.caption or None,
            bbox=box,
        )
        for item in items
        for field in item.fields
    ]
    page.text_layer = replace(page.text_layer, fields=fields)


def _block(item: XfaItem, box: BBox) -> Block | None:
    if item.rows:
        cells = [
            Cell(row=r, col=c, text=text) for r, row in enumerate(item.rows) for c, text in enumerate(row)
        ]
        table = Table(rows=len(item.rows), cols=max(map(len, item.rows)), cells=cells)
        return Block(label=Label.TABLE, bbox=box, content=table.to_html(), table=table, source="pdf-text")
    text = " ".join(text for text in item.texts if text)
    if not text:
        return None
    if text.startswith(_TICKS) and len(item.fields) == 1:
        mark = {"marker": text[:3]}
        return Block(label=Label.LIST_ITEM, bbox=box, content=text, source="pdf-text", extra=mark)
    return Block(label=Label.TEXT, bbox=box, content=text, source="pdf-text")
