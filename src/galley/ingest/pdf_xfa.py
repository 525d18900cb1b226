"""Dynamic XFA forms in PDFs: whether a file is one, and its XML."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from galley.errors import InputError
from galley.ingest.xfa import XfaItem, read_xfa

_PLACEHOLDER = re.compile(r"please wait|adobe (acrobat )?reader|adobe acrobat", re.IGNORECASE)
"""What the only page of such a file says, in English at least."""


def is_dynamic(document: pdfium.PdfDocument) -> bool:
    """Whether a document is an XFA form whose pages do not hold it."""
    kind = pdfium_c.FPDF_GetFormType(document)
    if kind == pdfium_c.FORMTYPE_XFA_FULL:
        return True
    if kind != pdfium_c.FORMTYPE_XFA_FOREGROUND or len(document) != 1:
        return False
    page = document[0]
    text = page.get_textpage()
    try:
        empty = pdfium_c.FPDFPage_GetAnnotCount(page) == 0
        return empty and bool(_PLACEHOLDER.search(text.get_text_bounded()))
    finally:
        text.close()
        page.close()


def read_dynamic_form(document: pdfium.PdfDocument) -> list[XfaItem]:
    """The contents of a dynamic XFA form. Raises ``InputError`` where they cannot be read, or there are none."""
    packets = {}
    for index in range(pdfium_c.FPDF_GetXFAPacketCount(document)):
        name = _bytes(lambda *to, i=index: pdfium_c.FPDF_GetXFAPacketName(document, i, *to))
        packets[name.rstrip(b"\0").decode("utf-8", "replace")] = _content(document, index)
    advice = "open it in Adobe Acrobat and print it to a PDF"
    try:
        items = read_xfa(packets)
    except InputError as error:
        raise InputError(
            f"page 1 is a dynamic XFA form, its contents are not read ({error}); {advice}"
        ) from None
    if not any(item.texts or item.rows or item.fields for item in items):
        raise InputError(f"page 1 is a dynamic XFA form without text, its drawings are not read; {advice}")
    return items


def _content(document: pdfium.PdfDocument, index: int) -> bytes:
    size = ctypes.c_ulong()
    pdfium_c.FPDF_GetXFAPacketContent(document, index, None, 0, size)
    buffer = ctypes.create_string_buffer(size.value)
    pdfium_c.FPDF_GetXFAPacketContent(document, index, buffer, size.value, size)
    return buffer.raw


def _bytes(getter: Callable[..., int]) -> bytes:
    size = getter(None, 0)
    buffer = ctypes.create_string_buffer(size)
    getter(buffer, size)
    return buffer.raw[:size]
