"""PDF pages through PDFium: rendered image, form fields and annotations included, and text layer."""

from __future__ import annotations

import logging
import math
import threading
from pathlib import Path

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.errors import InputError
from galley.ingest.page import LayerQuality, PageImage, TextLayer
from galley.ingest.pdf_forms import PageForm, read_page_form
from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_text import read_text_layer
from galley.ingest.pdf_xfa import is_dynamic, read_dynamic_form
from galley.ingest.reader import Limits

_LOCK = threading.RLock()
"""PDFium is not thread-safe, not even with several documents."""

_REOPEN_EVERY = 64
"""Pages after which the document is opened anew, since PDFium keeps every object it has once parsed."""

_POINTS_PER_INCH = 72.0
_FLATTENED = (pdfium_c.FPDF_ANNOT_WIDGET, pdfium_c.FPDF_ANNOT_FREETEXT, pdfium_c.FPDF_ANNOT_STAMP)
_METADATA = ("Title", "Author", "Subject", "Keywords", "CreationDate", "Producer")

logging.getLogger("pypdfium2").setLevel(
    logging.ERROR
)  # it warns about XFA forms, whose fields are drawn all the same


class PdfReader:
    """Reads one PDF. Safe to use from several threads, which take turns."""

    def __init__(self, content: Path | bytes, name: str, limits: Limits, password: str | None) -> None:
        """Raises ``InputError`` when the file is encrypted, cut off or no PDF at all."""
        self._content = content
        self._name = name
        self._limits = limits
        self._password = password
        self._reads = 0
        self._forms: dict[int, PageForm] = {}  # of pages that no longer have their annotations
        with _LOCK:
            self._document = self._open()
            self.page_count = len(self._document)
            found = self._document.get_metadata_dict(skip_empty=True)
        self.metadata = {key.lower(): found[key] for key in _METADATA if key in found}

    def read(self, number: int) -> PageImage:
        """Render a page and read its text layer. Raises ``InputError`` for one that cannot be read."""
        with _LOCK:
            if self._reads and self._reads % _REOPEN_EVERY == 0:
                self._document.close()
                self._document = self._open()
                self._forms.clear()
            self._reads += 1
            page, form = self._load(number)
            try:
                scale, notes = self._scale(page)
                if number == 1 and is_dynamic(self._document):
                    items = read_dynamic_form(self._document)
                    width, height = (math.ceil(side * scale) for side in page.get_size())
                    blank = np.full((height, width, 3), 255, dtype=np.uint8)
                    layer = TextLayer(quality=LayerQuality.GOOD, reason="the page is an XFA form", xfa=items)
                    return PageImage(number, blank, scale * _POINTS_PER_INCH, layer, notes)
                image = _render(page, scale)
                layer = read_text_layer(page, image, form)
                return PageImage(number, image, scale * _POINTS_PER_INCH, layer, notes)
            finally:
                page.close()

    def close(self) -> None:
        """Close the file."""
        with _LOCK:
            self._document.close()

    def _open(self) -> pdfium.PdfDocument:
        try:
            document = pdfium.PdfDocument(self._content, password=self._password)
            document.init_forms()
        except pdfium.PdfiumError as error:
            raise InputError(self._reason(error)) from error
        except OSError as error:
            raise InputError(f"{self._name} cannot be read: {error.strerror or 'it is gone'}") from error
        return document

    def _reason(self, error: pdfium.PdfiumError) -> str:
        # The code may be left over from another file: PDFium sets none for a PDF without pages.
        if error.err_code != pdfium_c.FPDF_ERR_PASSWORD or not _is_encrypted(self._content):
            return f"{self._name} is a damaged or cut off PDF, or has no pages"
        if self._password:
            return f"the password does not open {self._name}"
        return f"{self._name} is encrypted; give its password with --password"

    def _load(self, number: int) -> tuple[pdfium.PdfPage, PageForm]:
        """The page with its filled fields as part of it, and the fields and comments it had."""
        try:
            page = self._document[number - 1]
            if number not in self._forms:
                scale, _ = self._scale(page)
                width, height = (math.ceil(side * scale) for side in page.get_size())
                self._forms[number] = read_page_form(self._document, page, PageMap(page, width, height))
            if _flatten(page):
                page.close()
                page = self._document[number - 1]
        except pdfium.PdfiumError as error:
            raise InputError(f"page {number} is damaged and cannot be read") from error
        return page, self._forms[number]

    def _scale(self, page: pdfium.PdfPage) -> tuple[float, list[str]]:
        """Pixels per point, lowered to the pixel limit, and a note when it was."""
        width, height = page.get_size()
        scale = self._limits.dpi / _POINTS_PER_INCH
        if width * height * scale * scale <= self._limits.max_pixels:
            return scale, []
        scale = (self._limits.max_pixels / (width * height)) ** 0.5
        dpi = scale * _POINTS_PER_INCH
        size = f"{width / _POINTS_PER_INCH:.0f} × {height / _POINTS_PER_INCH:.0f} inches"
        return scale, [
            f"a page of {size} is rendered at {dpi:.0f} dpi to stay within {self._limits.max_pixels} pixels"
        ]


def _is_encrypted(content: Path | bytes) -> bool:
    data = content if isinstance(content, bytes) else content.read_bytes()
    return b"/Encrypt" in data


def _flatten(page: pdfium.PdfPage) -> bool:
    """Make filled form fields and text annotations part of the page, so that their text is in the text layer.

    True when the page changed and has to be loaded again.
    """
    for index in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        subtype = pdfium_c.FPDFAnnot_GetSubtype(annotation)
        pdfium_c.FPDFPage_CloseAnnot(annotation)
        if subtype in _FLATTENED:
            return pdfium_c.FPDFPage_Flatten(page, pdfium_c.FLAT_NORMALDISPLAY) == pdfium_c.FLATTEN_SUCCESS
    return False


def _render(page: pdfium.PdfPage, scale: float) -> NDArray[np.uint8]:
    """(height, width, 3) uint8 RGB on white."""
    bitmap = page.render(scale=scale, rev_byteorder=True)
    try:
        return np.array(bitmap.to_numpy()[:, :, :3])
    finally:
        bitmap.close()
