"""PP-StructureV3's JSON: ``parsing_res_list`` with a label, a text and a box for each block."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from galley.document import Block, Document, Label, Page
from galley.drafters.files.common import box, number
from galley.errors import InputError

_LABELS = {
    "doc_title": Label.TITLE,
    "title": Label.TITLE,
    "paragraph_title": Label.HEADING,
    "abstract_title": Label.HEADING,
    "reference_title": Label.HEADING,
    "content_title": Label.HEADING,
    "table": Label.TABLE,
    "formula": Label.FORMULA,
    "display_formula": Label.FORMULA,
    "inline_formula": Label.FORMULA,
    "image": Label.FIGURE,
    "figure": Label.FIGURE,
    "chart": Label.FIGURE,
    "seal": Label.FIGURE,
    "figure_title": Label.CAPTION,
    "table_title": Label.CAPTION,
    "chart_title": Label.CAPTION,
    "vision_footnote": Label.CAPTION,
    "algorithm": Label.CODE,
    "reference": Label.REFERENCE,
    "reference_content": Label.REFERENCE,
    "header": Label.HEADER,
    "header_image": Label.FIGURE,
    "footer": Label.FOOTER,
    "footer_image": Label.FIGURE,
    "number": Label.PAGE_NUMBER,
    "footnote": Label.FOOTNOTE,
    "aside_text": Label.ASIDE,
}
_DELIMITERS = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))


def is_ppstructure(data: object) -> bool:
    """Whether parsed JSON is a result of PP-StructureV3: one page, a list of pages, or wrapped in ``res``."""
    return next(_results(data), None) is not None


def read_ppstructure(data: object) -> Document:
    """Pages and blocks in the order of the file. Raises InputError when a list is not as it should be."""
    pages = [_page(result, index) for index, result in enumerate(_results(data), start=1)]
    return Document(page_count=len(pages), pages=pages)


def _results(data: object) -> Iterator[dict[str, Any]]:
    if isinstance(data, list):
        for entry in data:
            yield from _results(entry)
    elif isinstance(data, dict):
        if "parsing_res_list" in data:
            yield data
        elif "res" in data or "layoutParsingResults" in data:
            yield from _results(data.get("res", data.get("layoutParsingResults")))
        elif "prunedResult" in data:
            yield from _results(data["prunedResult"])


def _page(result: dict[str, Any], index: int) -> Page:
    entries = result["parsing_res_list"]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise InputError("parsing_res_list must be a list of objects")
    position = result.get("page_index")
    return Page(
        number=position + 1 if isinstance(position, int) and position >= 0 else index,
        width=max(0, int(number(result.get("width")))),
        height=max(0, int(number(result.get("height")))),
        blocks=[_block(entry) for entry in entries],
    )


def _block(entry: dict[str, Any]) -> Block:
    label = _LABELS.get(str(entry.get("block_label", "text")), Label.TEXT)
    content = entry.get("block_content")
    text = content if isinstance(content, str) else ""
    if label is Label.FORMULA:
        text = _without_delimiters(text)
    if label is Label.FIGURE:
        text = ""  # a path of an image file or mark-up that shows it
    return Block(label=label, bbox=box(entry.get("block_bbox")), content=text.strip(), source="file")


def _without_delimiters(latex: str) -> str:
    """LaTeX without the delimiters around it."""
    latex = latex.strip()
    for start, end in _DELIMITERS:
        if latex.startswith(start) and latex.endswith(end) and len(latex) >= len(start) + len(end):
            return latex[len(start) : -len(end)].strip()
    return latex
