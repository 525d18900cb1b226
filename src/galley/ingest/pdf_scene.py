"""What else is drawn on a PDF page: pictures and paths, and in which order these and the text come."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_paths import PathTable

_MAX_DEPTH = 12
_LEAST_MOVE = 0.02
"""points; texts closer than that are drawn on the same spot, which makes them no bolder"""
_MOST_MOVE = 0.12
"""Heights of a text; a copy that is further away is its shadow."""
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
    """``text_order``: drawing order by text object address, ``pictures`` and ``paths`` in drawing order.

    doubled: places in drawing order of texts that are drawn a second time just beside themselves, to look bold.
    """

    text_order: dict[int, int] = field(default_factory=dict)
    doubled: frozenset[int] = frozenset()
    pictures: list[Picture] = field(default_factory=list)
    paths: PathTable = field(default_factory=PathTable)


def read_scene(page: pdfium.PdfPage, space: PageMap) -> Scene:
    """Walk the page's objects, forms included."""
    scene = Scene()
    texts: dict[int, tuple[float, float, float, float]] = {}
    for order, (raw, kind, matrix) in enumerate(_objects(page, np.eye(3), 0)):
        if kind == pdfium_c.FPDF_PAGEOBJ_TEXT:
            scene.text_order[ctypes.cast(raw, ctypes.c_void_p).value or 0] = order
            texts[order] = _bounds(raw)
        elif kind == pdfium_c.FPDF_PAGEOBJ_PATH:
            scene.paths.add(raw, _matrix(raw), matrix, order)
        elif kind == pdfium_c.FPDF_PAGEOBJ_IMAGE:
            corners = (_UNIT_SQUARE @ (_matrix(raw) @ matrix))[:, :2]
            points = np.concatenate([corners.min(axis=0), corners.max(axis=0)])[None]
            opaque = not pdfium_c.FPDFPageObj_HasTransparency(raw)
            scene.pictures.append(Picture(space.boxes(points)[0], order, opaque, _pixels(raw)))
    scene.doubled = _doubled(texts)
    return scene


def _bounds(raw: pdfium_c.FPDF_PAGEOBJECT) -> tuple[float, float, float, float]:
    edges = [ctypes.c_float() for _ in range(4)]
    pdfium_c.FPDFPageObj_GetBounds(raw, *edges)
    left, bottom, right, top = (edge.value for edge in edges)
    return left, bottom, right, top


def _doubled(texts: dict[int, tuple[float, float, float, float]]) -> frozenset[int]:
    """Of texts with their bounds by drawing order, those whose bounds another has, moved by a hair."""
    alike: dict[tuple[float, float], list[int]] = {}
    for order, (left, bottom, right, top) in texts.items():
        alike.setdefault((round(right - left, 2), round(top - bottom, 2)), []).append(order)
    found: set[int] = set()
    for (width, height), orders in alike.items():
        if width <= 0 or height <= 0:
            continue
        places = sorted((texts[order][0], texts[order][1], order) for order in orders)
        for (x, y, one), (other_x, other_y, other) in pairwise(places):
            moved = max(other_x - x, abs(other_y - y))
            if _LEAST_MOVE < moved < _MOST_MOVE * height:
                found |= {one, other}
    return frozenset(found)


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
