"""Documents as ``DoclingDocument``, the data model of Docling and of the many tools that read it."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from galley.document.captions import caption_owners
from galley.document.markdown import tagged
from galley.document.model import BBox, Block, Document, Label, Page, Table
from galley.document.select import KEEPABLE, Shown, shown
from galley.document.table_html import head_rows
from galley.errors import UsageError

try:
    from docling_core.types.doc import (
        BoundingBox,
        ContentLayer,
        CoordOrigin,
        DescriptionMetaField,
        DocItem,
        DocItemLabel,
        DoclingDocument,
        ImageRef,
        ListGroup,
        PictureItem,
        PictureMeta,
        ProvenanceItem,
        Size,
        TableCell,
        TableData,
        TableItem,
    )
except ImportError as error:
    raise UsageError(
        "DoclingDocument needs docling-core; install it: pip install 'galley-ocr[docling]'"
    ) from error

_POINTS_PER_INCH = 72.0
_LABELS = {
    Label.TEXT: DocItemLabel.TEXT,
    Label.CAPTION: DocItemLabel.CAPTION,
    Label.REFERENCE: DocItemLabel.REFERENCE,
    Label.HEADER: DocItemLabel.PAGE_HEADER,
    Label.FOOTER: DocItemLabel.PAGE_FOOTER,
    Label.PAGE_NUMBER: DocItemLabel.PAGE_FOOTER,
    Label.FOOTNOTE: DocItemLabel.FOOTNOTE,
    Label.ASIDE: DocItemLabel.TEXT,
}
_FURNITURE = (Label.HEADER, Label.FOOTER, Label.PAGE_NUMBER)


def to_docling(document: Document) -> DoclingDocument:
    """The document as Docling would give it.

    Pages are measured in points and boxes from the bottom left of the upright page, as Docling does for PDFs.
    Text that runs on over columns or pages is one item with a box for each part. Headers, footers and page numbers
    are in the furniture layer, failures in the notes layer. A caption belongs to the table or picture beside it.
    Confidence, sources and flags, which Docling has no place for that its exports do not print, are left out.
    """
    return _Export(document).run()


def docling_pieces(document: Document) -> Iterator[str]:
    """The same as JSON, in one piece: Docling's model knows only whole documents."""
    data = to_docling(document).export_to_dict()
    yield json.dumps(data, ensure_ascii=False, indent=2) + "\n"


class _Export:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._pages = {page.number: page for page in document.pages}
        name = PurePath(document.source or "document")
        self._made = DoclingDocument(name=name.stem or "document")
        self._lists: list[tuple[int, ListGroup]] = []  # that are open, each deeper than the one before

    def run(self) -> DoclingDocument:
        for page in self._document.pages:
            self._made.add_page(page_no=page.number, size=_size(page))
        items = list(shown(self._document.pages, KEEPABLE))
        owners = caption_owners(items)
        captions: dict[int, list[Shown]] = {}
        for at, owner in owners.items():
            captions.setdefault(owner, []).append(items[at])
        for at, item in enumerate(items):
            if at not in owners:
                self._add(item, captions.get(at, ()))
        for failure in self._document.failures:
            self._made.add_text(DocItemLabel.TEXT, failure.message, content_layer=ContentLayer.NOTES)
        return self._made

    def _add(self, item: Shown, captions: Iterable[Shown]) -> None:
        block = item.block
        if block.label not in _FURNITURE and block.label not in (Label.FOOTNOTE, Label.LIST_ITEM):
            self._lists.clear()  # page furniture may stand in the middle of a list
        if block.table is not None:
            self._add_float(self._made.add_table(self._table(block.table, item)), item, captions)
        elif block.label is Label.FIGURE:
            picture = self._made.add_picture(image=_image(block, self._pages[item.page]))
            if item.content.strip():
                picture.meta = PictureMeta(description=DescriptionMetaField(text=item.content.strip()))
            self._add_float(picture, item, captions)
        elif item.content.strip():
            text = item.content.strip("\n")
            made = self._list_item(text, block) if block.label is Label.LIST_ITEM else self._text(text, block)
            made.prov = self._places(item)

    def _add_float(self, made: TableItem | PictureItem, item: Shown, captions: Iterable[Shown]) -> None:
        made.prov = self._places(item)
        for caption in captions:
            text = self._made.add_text(DocItemLabel.CAPTION, caption.content.strip("\n"), parent=made)
            text.prov = self._places(caption)
            made.captions.append(text.get_ref())

    def _text(self, text: str, block: Block) -> DocItem:
        if block.label is Label.TITLE:
            return self._made.add_title(text)
        if block.label is Label.HEADING:
            return self._made.add_heading(text, level=max(1, (block.level or 2) - 1))
        if block.label is Label.CODE:
            return self._made.add_code(text)
        if block.label is Label.FORMULA and "unverified" not in block.flags:
            return self._made.add_formula(tagged(block, text), orig=text)
        layer = ContentLayer.FURNITURE if block.label in _FURNITURE else ContentLayer.BODY
        # An unverified formula is no LaTeX; as a formula Docling would show its text to nobody.
        label = _LABELS.get(block.label, DocItemLabel.TEXT)
        return self._made.add_text(label, text, content_layer=layer)

    def _list_item(self, text: str, block: Block) -> DocItem:
        marker = str(block.extra.get("marker") or "")
        enumerated = bool(marker) and text.startswith(marker)
        return self._made.add_list_item(
            text.removeprefix(marker).lstrip() if enumerated else text,
            enumerated=enumerated,
            marker=marker or None,
            orig=text,
            parent=self._list(max(1, block.level or 1)),
        )

    def _list(self, level: int) -> ListGroup:
        """The open list of a level; a deeper one than is open begins below the item before."""
        while self._lists and self._lists[-1][0] > level:
            self._lists.pop()
        if not self._lists or self._lists[-1][0] < level:
            above = self._lists[-1][1] if self._lists else None
            parent = above.children[-1].resolve(self._made) if above and above.children else None
            self._lists.append((level, self._made.add_list_group(parent=parent)))
        return self._lists[-1][1]

    def _table(self, table: Table, item: Shown) -> TableData:
        """Cells that a table took over from a later page have no box here: Docling knows no page of a cell."""
        head = head_rows(table)
        rows_here = next(
            (row for row, page in item.block.extra.get("row_pages", ()) if page != item.page), table.rows
        )
        cells = [
            TableCell(
                text=cell.text,
                bbox=self._box(cell.bbox, item.page) if cell.bbox and cell.row < rows_here else None,
                start_row_offset_idx=cell.row,
                end_row_offset_idx=cell.row + cell.rowspan,
                start_col_offset_idx=cell.col,
                end_col_offset_idx=cell.col + cell.colspan,
                row_span=cell.rowspan,
                col_span=cell.colspan,
                column_header=cell.header and cell.row < head,
                row_header=cell.header and cell.row >= head,
            )
            for cell in table.cells
        ]
        return TableData(table_cells=cells, num_rows=table.rows, num_cols=table.cols)

    def _places(self, item: Shown) -> list[ProvenanceItem]:
        return [
            ProvenanceItem(
                page_no=part.page, bbox=self._box(part.block.bbox, part.page), charspan=(part.start, part.end)
            )
            for part in item.parts
        ]

    def _box(self, box: BBox, number: int) -> BoundingBox:
        page = self._pages[number]
        scale = _POINTS_PER_INCH / page.dpi
        height = page.height * scale
        return BoundingBox(
            l=box.x0 * scale,
            t=height - box.y0 * scale,
            r=box.x1 * scale,
            b=height - box.y1 * scale,
            coord_origin=CoordOrigin.BOTTOMLEFT,
        )


def _size(page: Page) -> Size:
    return Size(
        width=page.width * _POINTS_PER_INCH / page.dpi, height=page.height * _POINTS_PER_INCH / page.dpi
    )


def _image(block: Block, page: Page) -> ImageRef | None:
    if not block.image:
        return None
    return ImageRef(
        mimetype=mimetypes.guess_type(block.image)[0] or "image/jpeg",
        dpi=round(page.dpi),
        size=Size(width=block.bbox.width, height=block.bbox.height),
        uri=Path(block.image),
    )
