"""What a PDF page's annotations say of its text: links, and text that somebody has marked."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.document.spans import LINK, Style
from galley.ingest.pdf_glyphs import PageMap

_MARKUP = {
    pdfium_c.FPDF_ANNOT_HIGHLIGHT: Style.HIGHLIGHT,
    pdfium_c.FPDF_ANNOT_UNDERLINE: Style.UNDERLINE,
    pdfium_c.FPDF_ANNOT_SQUIGGLY: Style.UNDERLINE,
    pdfium_c.FPDF_ANNOT_STRIKEOUT: Style.STRIKE,
}
_MOST_LINKS = 5000
"""A page with more links than that is damaged."""

Box = NDArray[np.float32]
"""(4,) ``x0, y0, x1, y1`` in page-image pixels."""


def read_markup(page: pdfium.PdfPage, space: PageMap) -> list[tuple[Style, Box]]:
    """Underlines, strike-throughs and highlights, with the box of each line of text."""
    found: list[tuple[Style, Box]] = []
    for index in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            style = _MARKUP.get(pdfium_c.FPDFAnnot_GetSubtype(annotation))
            if style is not None:
                count = pdfium_c.FPDFAnnot_CountAttachmentPoints(annotation)
                quads = _quads(annotation, count, pdfium_c.FPDFAnnot_GetAttachmentPoints)
                found += [(style, box) for box in space.boxes(quads)]
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)
    return found


def read_links(page: pdfium.PdfPage, space: PageMap) -> list[tuple[str, Box]]:
    """Addresses of links with the box of each line of text.

    A link into the document is ``#page=N&top=Y``, N counted from 1 and Y in points from the top of that page.
    """
    found: list[tuple[str, Box]] = []
    for link in _links(page):
        address = _address(page, link)
        if address is None:
            continue
        count = pdfium_c.FPDFLink_CountQuadPoints(link)
        quads = _quads(link, count, pdfium_c.FPDFLink_GetQuadPoints) if count > 0 else _rectangle(link)
        found += [(address, box) for box in space.boxes(quads)]
    return found


def _links(page: pdfium.PdfPage) -> Iterator[pdfium_c.FPDF_LINK]:
    position = ctypes.c_int(0)
    for _ in range(_MOST_LINKS):
        link = pdfium_c.FPDF_LINK()
        if not pdfium_c.FPDFLink_Enumerate(page, position, link):
            return
        yield link


def _address(page: pdfium.PdfPage, link: pdfium_c.FPDF_LINK) -> str | None:
    document = page.pdf
    action = pdfium_c.FPDFLink_GetAction(link)
    kind = pdfium_c.FPDFAction_GetType(action) if action else None
    if kind == pdfium_c.PDFACTION_URI:
        size = pdfium_c.FPDFAction_GetURIPath(document, action, None, 0)
        buffer = ctypes.create_string_buffer(max(1, size))
        pdfium_c.FPDFAction_GetURIPath(document, action, buffer, size)
        address = "".join(buffer.value.decode("utf-8", "replace").split())
        return address if LINK.match(address) and not address.startswith("#") else None
    target = pdfium_c.FPDFLink_GetDest(document, link)
    if not target and kind == pdfium_c.PDFACTION_GOTO:
        target = pdfium_c.FPDFAction_GetDest(document, action)
    return _place(document, target) if target else None


def _place(document: pdfium.PdfDocument, target: pdfium_c.FPDF_DEST) -> str | None:
    number = pdfium_c.FPDFDest_GetDestPageIndex(document, target)
    if number < 0:
        return None
    known = [ctypes.c_int() for _ in range(3)]
    x, y, zoom = (ctypes.c_float() for _ in range(3))
    pdfium_c.FPDFDest_GetLocationInPage(target, *known, x, y, zoom)
    size = pdfium_c.FS_SIZEF()
    if not known[1].value or not pdfium_c.FPDF_GetPageSizeByIndexF(document, number, size):
        return f"#page={number + 1}"
    return f"#page={number + 1}&top={size.height - y.value:.1f}"


def _quads(
    owner: object, count: int, read: Callable[[object, int, pdfium_c.FS_QUADPOINTSF], int]
) -> NDArray[np.float64]:
    """(n, 4) boxes ``left, bottom, right, top`` in user space."""
    points, found = pdfium_c.FS_QUADPOINTSF(), []
    for index in range(count):
        if read(owner, index, points):
            across = points.x1, points.x2, points.x3, points.x4
            along = points.y1, points.y2, points.y3, points.y4
            found.append((min(across), min(along), max(across), max(along)))
    return np.array(found, dtype=np.float64).reshape(-1, 4)


def _rectangle(link: pdfium_c.FPDF_LINK) -> NDArray[np.float64]:
    found = pdfium_c.FS_RECTF()
    if not pdfium_c.FPDFLink_GetAnnotRect(link, found):
        return np.empty((0, 4))
    edges = sorted((found.left, found.right)), sorted((found.bottom, found.top))
    return np.array([[edges[0][0], edges[1][0], edges[0][1], edges[1][1]]])
