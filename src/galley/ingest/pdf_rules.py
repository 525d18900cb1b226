"""The ruling lines a PDF page draws: thin filled rectangles and straight strokes."""

from __future__ import annotations

import ctypes

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_scene import _matrix

_MAX_DEPTH = 12
_THICKEST = 3.0
"""points; a filled rectangle that is thicker is an area"""
_MOST_SEGMENTS = 8


def read_rules(page: pdfium.PdfPage, space: PageMap) -> NDArray[np.float64]:
    """(m, 4) boxes of the page's horizontal and vertical rules, placed by ``space``, in drawing order."""
    found: list[tuple[float, float, float, float]] = []
    _collect(page, np.eye(3), 0, found)
    return space.boxes(np.array(found, dtype=np.float64).reshape(-1, 4)).astype(np.float64)


def _collect(
    parent: object,
    matrix: NDArray[np.float64],
    depth: int,
    found: list[tuple[float, float, float, float]],
) -> None:
    counter, getter = (
        (pdfium_c.FPDFPage_CountObjects, pdfium_c.FPDFPage_GetObject)
        if depth == 0
        else (pdfium_c.FPDFFormObj_CountObjects, pdfium_c.FPDFFormObj_GetObject)
    )
    for index in range(counter(parent)):
        raw = getter(parent, index)
        kind = pdfium_c.FPDFPageObj_GetType(raw)
        if kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            _take(raw, matrix, found)
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
            _collect(raw, _matrix(raw) @ matrix, depth + 1, found)


def _take(
    raw: pdfium_c.FPDF_PAGEOBJECT,
    matrix: NDArray[np.float64],
    found: list[tuple[float, float, float, float]],
) -> None:
    """Add a path's box where the path is one straight line."""
    if pdfium_c.FPDFPath_CountSegments(raw) > _MOST_SEGMENTS:
        return
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium_c.FPDFPath_GetDrawMode(raw, fill, stroke)
    if not fill.value and not stroke.value:
        return
    points = np.array([_point(raw, n) for n in range(pdfium_c.FPDFPath_CountSegments(raw))])
    if not len(points):
        return
    placed = points @ (_matrix(raw) @ matrix)[:, :2]
    x0, y0 = placed.min(axis=0)
    x1, y1 = placed.max(axis=0)
    if not fill.value:
        width = ctypes.c_float()
        pdfium_c.FPDFPageObj_GetStrokeWidth(raw, width)
        half = width.value / 2
        x0, x1, y0, y1 = (
            (x0, x1, y0 - half, y1 + half) if x1 - x0 > y1 - y0 else (x0 - half, x1 + half, y0, y1)
        )
    if min(x1 - x0, y1 - y0) <= _THICKEST < max(x1 - x0, y1 - y0) + _THICKEST:
        found.append((float(x0), float(y0), float(x1), float(y1)))


def _point(raw: pdfium_c.FPDF_PAGEOBJECT, index: int) -> tuple[float, float, float]:
    x, y = ctypes.c_float(), ctypes.c_float()
    pdfium_c.FPDFPathSegment_GetPoint(pdfium_c.FPDFPath_GetPathSegment(raw, index), x, y)
    return x.value, y.value, 1.0
