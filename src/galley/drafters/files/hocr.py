"""hOCR 1.2: HTML whose classes name pages, paragraphs, lines and words, with boxes in ``title``.

The standard library's parser is enough for this flat markup; lxml would be one more compiled package for everybody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from galley.document import BBox, Block, Document, Label, Line, Page
from galley.drafters.files.common import NOWHERE, number, text_block
from galley.errors import InputError

_LINES = {"ocr_line", "ocrx_line", "ocr_header", "ocr_footer", "ocr_caption", "ocr_textfloat"}
_BLOCKS = {"ocr_par", "ocr_carea", "ocrx_block", "ocr_float", "ocr_separator"}
_LABELS = {"ocr_header": Label.HEADER, "ocr_footer": Label.FOOTER, "ocr_caption": Label.CAPTION}
_VOID = {"br", "img", "hr", "meta", "link", "input", "wbr", "col", "area", "base", "source", "track", "embed"}
_BBOX = re.compile(r"\bbbox\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)\s+(-?[\d.]+)")
_CONFIDENCE = re.compile(r"\bx_wconf\s+([\d.]+)")


def read_hocr(text: str) -> Document:
    """Pages with a block for each paragraph. Damaged HTML is read as far as it goes.

    Headers, footers and captions are so labelled only where every line of a paragraph is.
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    reader.end_line()
    if not reader.pages:
        raise InputError("this HTML holds no ocr_page, so it is not hOCR")
    pages = [page.built(index) for index, page in enumerate(reader.pages, start=1)]
    return Document(page_count=len(pages), pages=pages)


@dataclass
class _Row:
    """A line being read: its words or loose text."""

    bbox: BBox
    label: Label
    block: int
    texts: list[str] = field(default_factory=list)
    confidences: list[float] = field(default_factory=list)

    def line(self) -> Line:
        known = self.confidences
        return Line(
            text=" ".join("".join(self.texts).split()),
            bbox=self.bbox,
            confidence=sum(known) / len(known) if known else None,
        )


@dataclass
class _PageRows:
    bbox: BBox
    rows: list[_Row] = field(default_factory=list)

    def built(self, index: int) -> Page:
        groups: dict[int, list[_Row]] = {}
        for row in self.rows:
            groups.setdefault(row.block, []).append(row)
        blocks = [block for rows in groups.values() if (block := _block(rows)).lines]
        return Page(number=index, width=round(self.bbox.x1), height=round(self.bbox.y1), blocks=blocks)


def _block(rows: list[_Row]) -> Block:
    labels = {row.label for row in rows}
    lines = [line for row in rows if (line := row.line()).text]
    return text_block(lines, labels.pop() if len(labels) == 1 else Label.TEXT)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pages: list[_PageRows] = []
        self.row: _Row | None = None
        self.block = 0
        self.depth = 0
        self.line_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _VOID:
            self.depth += 1
        values = {name: value or "" for name, value in attrs}
        classes, title = set(values.get("class", "").split()), values.get("title", "")
        if "ocr_page" in classes:
            self.end_line()
            self.pages.append(_PageRows(_bbox(title)))
        elif classes & _BLOCKS:
            self.end_line()
            self.block += 1
        elif (kinds := classes & _LINES) and self.pages:
            self.end_line()
            label = _LABELS.get(kinds.pop(), Label.TEXT)
            self.row = _Row(_bbox(title), label, self.block)
            self.line_depth = self.depth
        elif "ocrx_word" in classes and self.row is not None:
            self.row.texts.append(" ")
            match = _CONFIDENCE.search(title)
            if match:
                self.row.confidences.append(min(1.0, number(match.group(1)) / 100))

    def handle_endtag(self, tag: str) -> None:
        if self.row is not None and self.depth == self.line_depth:
            self.end_line()
        self.depth = max(0, self.depth - (tag not in _VOID))

    def handle_data(self, data: str) -> None:
        if self.row is not None:
            self.row.texts.append(data)

    def end_line(self) -> None:
        """The line being read is complete."""
        if self.row is not None and self.pages:
            self.pages[-1].rows.append(self.row)
        self.row = None


def _bbox(title: str) -> BBox:
    match = _BBOX.search(title)
    if not match:
        return NOWHERE
    x0, y0, x1, y1 = (number(value) for value in match.groups())
    return BBox(x0=min(x0, x1), y0=min(y0, y1), x1=max(x0, x1), y1=max(y0, y1))
