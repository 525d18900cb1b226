"""Documents as the GLM-OCR SDK writes them, for programs that read its JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from galley.document.model import BBox, Block, Document, Label, Page

# Galley's label: the SDK's name for the kind of content, and its detector's own name for the region.
_NAMES: dict[Label, tuple[str, str]] = {
    Label.TITLE: ("text", "doc_title"),
    Label.HEADING: ("text", "paragraph_title"),
    Label.TEXT: ("text", "text"),
    Label.LIST_ITEM: ("text", "text"),
    Label.CODE: ("text", "algorithm"),
    Label.CAPTION: ("text", "figure_title"),
    Label.TABLE: ("table", "table"),
    Label.FORMULA: ("formula", "display_formula"),
    Label.FIGURE: ("image", "image"),
    Label.REFERENCE: ("text", "reference_content"),
    Label.HEADER: ("text", "header"),
    Label.FOOTER: ("text", "footer"),
    Label.PAGE_NUMBER: ("text", "number"),
    Label.FOOTNOTE: ("text", "footnote"),
    Label.ASIDE: ("text", "aside_text"),
}


def to_glmocr(document: Document) -> list[list[dict[str, Any]]]:
    """Per page a list of ``{index, label, native_label, content, bbox_2d, polygon}`` in reading order.

    Boxes are whole numbers from 0 to 1000 across the page's width and height. Headers and footers are in it,
    named so.
    """
    return [_regions(page) for page in document.pages]


def glmocr_pieces(pages: Iterable[Page]) -> Iterator[str]:
    """The same as JSON, page by page."""
    begun = False
    for page in pages:
        text = json.dumps(_regions(page), ensure_ascii=False, indent=2)
        yield (",\n  " if begun else "[\n  ") + text.replace("\n", "\n  ")
        begun = True
    yield "\n]\n" if begun else "[]\n"


def _regions(page: Page) -> list[dict[str, Any]]:
    return [_region(index, block, page) for index, block in enumerate(page.blocks)]


def _region(index: int, block: Block, page: Page) -> dict[str, Any]:
    label, native = _NAMES[block.label]
    x0, y0, x1, y1 = _scaled(block.bbox, page)
    return {
        "index": index,
        "label": label,
        "native_label": native,
        "content": _content(block),
        "bbox_2d": [x0, y0, x1, y1],
        "polygon": [[x0, y0], [x1, y0], [x1, y1], [x0, y1]],
    }


def _content(block: Block) -> str | None:
    if block.label is Label.TITLE:
        return f"# {block.content}"
    if block.label is Label.HEADING:
        return f"## {block.content}"
    if block.label is Label.FORMULA and "unverified" not in block.flags:
        return f"$$\n{block.content}\n$$"
    if block.label is Label.FIGURE:
        return None
    return block.content


def _scaled(bbox: BBox, page: Page) -> tuple[int, int, int, int]:
    across, down = 1000 / max(1, page.width), 1000 / max(1, page.height)
    x0, x1 = (min(1000, max(0, round(x * across))) for x in (bbox.x0, bbox.x1))
    y0, y1 = (min(1000, max(0, round(y * down))) for y in (bbox.y0, bbox.y1))
    return x0, y0, x1, y1
