"""The form fields and the comments of a PDF page, with their values."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from galley.document import BBox, FormField
from galley.ingest.page import Comment
from galley.ingest.pdf_glyphs import PageMap

_TYPES = {
    pdfium_c.FPDF_FORMFIELD_TEXTFIELD: "text",
    pdfium_c.FPDF_FORMFIELD_CHECKBOX: "checkbox",
    pdfium_c.FPDF_FORMFIELD_RADIOBUTTON: "radio",
    pdfium_c.FPDF_FORMFIELD_COMBOBOX: "combo",
    pdfium_c.FPDF_FORMFIELD_LISTBOX: "list",
    pdfium_c.FPDF_FORMFIELD_PUSHBUTTON: "button",
    pdfium_c.FPDF_FORMFIELD_SIGNATURE: "signature",
}
_COMMENTS = {
    pdfium_c.FPDF_ANNOT_TEXT: "Text",
    pdfium_c.FPDF_ANNOT_FREETEXT: "FreeText",
    pdfium_c.FPDF_ANNOT_HIGHLIGHT: "Highlight",
    pdfium_c.FPDF_ANNOT_UNDERLINE: "Underline",
    pdfium_c.FPDF_ANNOT_SQUIGGLY: "Squiggly",
    pdfium_c.FPDF_ANNOT_STRIKEOUT: "StrikeOut",
    pdfium_c.FPDF_ANNOT_CARET: "Caret",
}
_UNSEEN = pdfium_c.FPDF_ANNOT_FLAG_HIDDEN | pdfium_c.FPDF_ANNOT_FLAG_NOVIEW
# Flags of text fields, ISO 32000-1, table 228.
_MULTILINE, _PASSWORD = 1 << 12, 1 << 13


@dataclass
class PageForm:
    """Fields and comments of a page, boxes in page-image pixels.

    sizes: the type size in pixels of each field by its index, 0 where the file leaves it open. multiline: indices of
    text fields of several lines.
    """

    fields: list[FormField] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    sizes: dict[int, float] = field(default_factory=dict)
    multiline: set[int] = field(default_factory=set)


def read_page_form(document: pdfium.PdfDocument, page: pdfium.PdfPage, space: PageMap) -> PageForm:
    """The fields and comments of a page that can be seen; to be read before they are made part of the page."""
    found = PageForm()
    form = document.formenv.raw if document.formenv else None
    for annotation, kind in _annotations(page):
        if pdfium_c.FPDFAnnot_GetFlags(annotation) & _UNSEEN:
            continue
        box = _box(annotation, space)
        if kind == pdfium_c.FPDF_ANNOT_WIDGET and form is not None:
            _add_field(found, form, annotation, box, space.scale)
        elif kind in _COMMENTS:
            text = _text(lambda *to, a=annotation: pdfium_c.FPDFAnnot_GetStringValue(a, b"Contents", *to))
            author = _text(lambda *to, a=annotation: pdfium_c.FPDFAnnot_GetStringValue(a, b"T", *to))
            if text.strip():
                found.comments.append(Comment(_COMMENTS[kind], text.strip(), author.strip(), box))
    return found


def _annotations(page: pdfium.PdfPage) -> Iterator[tuple[pdfium_c.FPDF_ANNOTATION, int]]:
    for index in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        with _annotation(page, index) as annotation:
            if annotation:
                yield annotation, pdfium_c.FPDFAnnot_GetSubtype(annotation)


@contextmanager
def _annotation(page: pdfium.PdfPage, index: int) -> Iterator[pdfium_c.FPDF_ANNOTATION]:
    annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
    try:
        yield annotation
    finally:
        pdfium_c.FPDFPage_CloseAnnot(annotation)


def _add_field(
    found: PageForm,
    form: pdfium_c.FPDF_FORMHANDLE,
    annotation: pdfium_c.FPDF_ANNOTATION,
    box: BBox,
    scale: float,
) -> None:
    kind = _TYPES.get(pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation))
    if kind is None:
        return

    def text(getter: Callable[..., int]) -> str:
        return _text(lambda *to: getter(form, annotation, *to))

    flags = max(0, pdfium_c.FPDFAnnot_GetFormFieldFlags(form, annotation))
    value: str | bool | list[str] | None = text(pdfium_c.FPDFAnnot_GetFormFieldValue)
    options: list[str] = []
    if kind in ("checkbox", "radio"):
        value = bool(pdfium_c.FPDFAnnot_IsChecked(form, annotation))
        options = [text(pdfium_c.FPDFAnnot_GetFormFieldExportValue)]
    elif kind in ("combo", "list"):
        options, chosen = _options(form, annotation)
        value = chosen if kind == "list" else ", ".join(chosen) or value
    elif kind == "button" or (kind == "text" and flags & _PASSWORD):
        value = None
    if kind == "text" and flags & _MULTILINE:
        found.multiline.add(len(found.fields))
    size = ctypes.c_float()
    if pdfium_c.FPDFAnnot_GetFontSize(form, annotation, size):
        found.sizes[len(found.fields)] = size.value * scale
    found.fields.append(
        FormField(
            name=text(pdfium_c.FPDFAnnot_GetFormFieldName),
            type=kind,
            value=value,
            label=text(pdfium_c.FPDFAnnot_GetFormFieldAlternateName) or None,
            options=[option for option in options if option],
            bbox=box,
        )
    )


def _options(
    form: pdfium_c.FPDF_FORMHANDLE, annotation: pdfium_c.FPDF_ANNOTATION
) -> tuple[list[str], list[str]]:
    """The labels of a field's choices, and those of the chosen ones."""
    count = max(0, pdfium_c.FPDFAnnot_GetOptionCount(form, annotation))
    labels = [
        _text(lambda *to, n=n: pdfium_c.FPDFAnnot_GetOptionLabel(form, annotation, n, *to))
        for n in range(count)
    ]
    chosen = [
        label for n, label in enumerate(labels) if pdfium_c.FPDFAnnot_IsOptionSelected(form, annotation, n)
    ]
    return labels, chosen


def _text(getter: Callable[..., int]) -> str:
    """A string that PDFium writes as UTF-16 into a buffer, called first for its length in bytes."""
    size = getter(None, 0)
    if size <= 2:
        return ""
    buffer = ctypes.create_string_buffer(size)
    getter(ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _box(annotation: pdfium_c.FPDF_ANNOTATION, space: PageMap) -> BBox:
    rect = pdfium_c.FS_RECTF()
    pdfium_c.FPDFAnnot_GetRect(annotation, rect)
    points = np.array([[rect.left, rect.bottom, rect.right, rect.top]], dtype=np.float64)
    x0, y0, x1, y1 = map(float, space.boxes(points)[0])
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)
