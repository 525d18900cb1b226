"""ALTO XML, versions 2 to 4: what libraries keep their OCR in."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from galley.document import BBox, Block, Document, Label, Line, Page
from galley.drafters.files.common import number, text_block
from galley.errors import InputError
from galley.ingest.safe_xml import local_name, parse_xml

_DPI = 200.0
# Pixels per unit at that resolution.
_UNITS = {"pixel": 1.0, "mm10": _DPI / 254, "inch1200": _DPI / 1200}
_MARGINS = {
    "TopMargin": Label.HEADER,
    "BottomMargin": Label.FOOTER,
    "LeftMargin": Label.ASIDE,
    "RightMargin": Label.ASIDE,
}


def read_alto(text: str) -> Document:
    """Pages with a block for each TextBlock. Measures other than pixels become pixels at 200 dpi."""
    root = parse_xml(text)
    if local_name(root) != "alto":
        raise InputError("this XML is not ALTO")
    unit = (
        next((e.text or "" for e in root.iter() if local_name(e) == "MeasurementUnit"), "pixel")
        .strip()
        .lower()
    )
    if unit not in _UNITS:
        raise InputError(
            f"ALTO with the measurement unit {unit!r} is not supported; known: {', '.join(_UNITS)}"
        )
    scale = _UNITS[unit]
    elements = [element for element in root.iter() if local_name(element) == "Page"]
    pages = [_page(element, index, scale) for index, element in enumerate(elements, start=1)]
    return Document(page_count=len(pages), pages=pages)


def _page(element: ET.Element, index: int, scale: float) -> Page:
    blocks: list[Block] = []
    for part in element:
        label = _MARGINS.get(local_name(part), Label.TEXT)
        found = [inner for inner in part.iter() if local_name(inner) == "TextBlock"]
        blocks += [block for inner in found if (block := _block(inner, label, scale)).lines]
    return Page(
        number=index,
        width=round(number(element.get("WIDTH")) * scale),
        height=round(number(element.get("HEIGHT")) * scale),
        dpi=_DPI,
        blocks=blocks,
    )


def _block(element: ET.Element, label: Label, scale: float) -> Block:
    lines = [_line(inner, scale) for inner in element.iter() if local_name(inner) == "TextLine"]
    return text_block([line for line in lines if line.text.strip()], label, _bbox(element, scale))


def _line(element: ET.Element, scale: float) -> Line:
    """Words and spaces in order; a hyphen at the line's end is an element of its own."""
    pieces: list[str] = []
    confidences: list[tuple[float, int]] = []
    glued = True
    for part in element:
        kind = local_name(part)
        if kind == "SP":
            glued = False
        elif kind in ("String", "HYP"):
            content = part.get("CONTENT") or ("-" if kind == "HYP" else "")
            pieces.append(content if glued or kind == "HYP" else " " + content)
            glued = False  # many writers leave out the spaces
            if part.get("WC") is not None:
                confidences.append((min(1.0, max(0.0, number(part.get("WC")))), max(1, len(content))))
    total = sum(weight for _, weight in confidences)
    mean = sum(value * weight for value, weight in confidences) / total if total else None
    return Line(text="".join(pieces), bbox=_bbox(element, scale), confidence=mean)


def _bbox(element: ET.Element, scale: float) -> BBox:
    x, y, width, height = (number(element.get(name)) * scale for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT"))
    return BBox(x0=x, y0=y, x1=x + max(0.0, width), y1=y + max(0.0, height))
