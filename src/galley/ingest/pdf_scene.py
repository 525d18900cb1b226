"""What else is drawn on a PDF page: pictures and paths, and in which order these and the text come."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_paths import PathTable

_MAX_DEPTH = 12
_DRAWN = (pdfium_c.FPDF_PAGEOBJ_TEXT, pdfium_c.FPDF_PAGEOBJ_PATH, pdfium_c.FPDF_PAGEOBJ_IMAGE)
_UNIT_SQUARE = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0]])


@dataclass
class Picture:
    """A raster image.

    box: (4,) float32 in page-image pixels. order: its place in drawing order. opaque: whether it hides what is
    beneath it. pixels: its own size.
    """

    box: NDArray[np.float32]
    order: int
    opaque: bool
    pixels: tuple[int, int]


@dataclass
class Scene:
    """``text_order``: drawing order by text object address, ``pictures`` and ``paths`` in drawing order."""

    text_order: dict[int, int] = field(default_factory=dict)
    pictures: list[Picture] = field(default_factory=list)
    paths: PathTable = field(default_factory=PathTable)


def read_scene(page: pdfium.PdfPage, space: PageMap) -> Scene:
    """Walk the page's objects, forms included."""
    scene = Scene()
    for order, (raw, kind, matrix) in enumerate(_objects(page, np.eye(3), 0)):
        if kind == pdfium_c.FPDF_PAGEOBJ_TEXT:
            scene.text_order[ctypes.cast(raw, ctypes.c_void_p).value or 0] = order
        elif kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            scene.paths.add(raw, _matrix(raw), matrix, order)
        elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            corners = (_UNIT_SQUARE @ (_matrix(raw) @ matrix))[:, :2]
            points = np.concatenate([corners.min(axis=0), corners.max(axis=0)])[None]
            opaque = not pdfium_c.FPDFPageObj_HasTransparency(raw)
            scene.pictures.append(Picture(space.boxes(points)[0], order, opaque, _pixels(raw)))
    return scene


def _objects(
    parent: object, matrix: NDArray[np.float64], depth: int
) -> Iterator[tuple[pdfium_c.FPDF_PAGEOBJECT, int, NDArray[np.float64]]]:
    """Text, path and image objects in drawing order, each with the matrix of the forms around it (row vectors)."""
    counter, getter = (
        (pdfium_c.FPDFPage_CountObjects, pdfium_c.FPDFPage_GetObject)
        if depth == 0
        else (pdfium_c.FPDFFormObj_CountObjects, pdfium_c.FPDFFormObj_GetObject)
    )
    for index in range(counter(parent)):
        raw = getter(parent, index)
        kind = pdfium_c.FPDFPageObj_GetType(raw)
        if kind in _DRAWN:
            yield raw, kind, matrix
        elif kind == pdfium_c.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
            yield from _objects(raw, _matrix(raw) @ matrix, depth + 1)


def _matrix(raw: pdfium_c.FPDF_PAGEOBJECT) -> NDArray[np.float64]:
    found = pdfium_c.FS_MATRIX()
    if not pdfium_c.FPDFPageObj_GetMatrix(raw, found):
        return np.eye(3)
    return np.array([[found.a, found.b, 0.0], [found.c, found.d, 0.0], [found.e, found.f, 1.0]])


def _pixels(raw: pdfium_c.FPDF_PAGEOBJECT) -> tuple[int, int]:
    width, height = ctypes.c_uint(), ctypes.c_uint()
    pdfium_c.FPDFImageObj_GetImagePixelSize(raw, width, height)
    return width.value, height.value
