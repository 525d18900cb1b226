"""The paths that a PDF page draws, as one table of points: what PDFium is asked for, once for each path."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

_MOST_PATHS = 8_000
"""Paths of a page that are read, about 0.1 s; what has more is a map or a plan."""
_MOST_POINTS = 24_000
"""Points of all its paths that are read; tables have some hundreds."""
_LONGEST_PATH = 4_000
"""Points; longer ones are drawings."""
_MOST_CLIPS = 8
"""Clipping paths of one path that are looked at, the innermost last."""
_CLIP_POINTS = 16
_EVERYWHERE = (-np.inf, -np.inf, np.inf, np.inf)

_x, _y = ctypes.c_float(), ctypes.c_float()
_number = ctypes.c_float()
_fill_mode, _stroked = ctypes.c_int(), ctypes.c_int()
_rgba = tuple(ctypes.c_uint() for _ in range(4))


@dataclass
class PathTable:
    """``n`` points of ``p`` paths in drawing order, in the page's user space (points, y up).

    points: (n, 2) once ``placed``. kinds: of each, PDFium's segment type. closes: whether its subpath closes after it.
    owners: the path of each. filled, stroked: by path. widths: of the stroke. fills, strokes: colours, red, green,
    blue, alpha. clips: ``left, bottom, right, top`` of the clipping. orders: of drawing. complete: whether all
    were read.
    """

    points: list[tuple[float, float]] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    closes: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    matrices: list[NDArray[np.float64]] = field(default_factory=list)
    filled: list[bool] = field(default_factory=list)
    stroked: list[bool] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)
    fills: list[tuple[int, int, int, int]] = field(default_factory=list)
    strokes: list[tuple[int, int, int, int]] = field(default_factory=list)
    clips: list[tuple[float, float, float, float]] = field(default_factory=list)
    orders: list[int] = field(default_factory=list)
    complete: bool = True

    def add(
        self,
        raw: pdfium_c.FPDF_PAGEOBJECT,
        own: NDArray[np.float64],
        around: NDArray[np.float64],
        order: int,
    ) -> None:
        """Read a path. own: its matrix; around: that of the forms around it; both (3, 3), for row vectors."""
        count = pdfium_c.FPDFPath_CountSegments(raw)
        if count > _LONGEST_PATH or count < 2:
            return
        if len(self.orders) >= _MOST_PATHS or len(self.points) + count > _MOST_POINTS:
            self.complete = False
            return
        if not pdfium_c.FPDFPath_GetDrawMode(raw, _fill_mode, _stroked):
            return
        filled, stroked = _fill_mode.value != pdfium_c.FPDF_FILLMODE_NONE, bool(_stroked.value)
        if not filled and not stroked:
            return
        for index in range(count):
            segment = pdfium_c.FPDFPath_GetPathSegment(raw, index)
            pdfium_c.FPDFPathSegment_GetPoint(segment, _x, _y)
            self.points.append((_x.value, _y.value))
            self.kinds.append(pdfium_c.FPDFPathSegment_GetType(segment))
            self.closes.append(pdfium_c.FPDFPathSegment_GetClose(segment))
        self.owners += [len(self.orders)] * count
        self.matrices.append(own @ around)
        self.filled.append(filled)
        self.stroked.append(stroked)
        self.widths.append(_stroke_width(raw) if stroked else 0.0)
        self.fills.append(_colour(pdfium_c.FPDFPageObj_GetFillColor, raw) if filled else (0, 0, 0, 0))
        self.strokes.append(_colour(pdfium_c.FPDFPageObj_GetStrokeColor, raw) if stroked else (0, 0, 0, 0))
        self.clips.append(_clip(raw, around))
        self.orders.append(order)

    def placed(self) -> NDArray[np.float64]:
        """(n, 2) points in user space."""
        points = np.array(self.points, dtype=np.float64).reshape(-1, 2)
        matrices = np.array(self.matrices, dtype=np.float64).reshape(-1, 3, 3)[np.array(self.owners, int)]
        return np.einsum("ni,nij->nj", points, matrices[:, :2, :2]) + matrices[:, 2, :2]


def _stroke_width(raw: pdfium_c.FPDF_PAGEOBJECT) -> float:
    return _number.value if pdfium_c.FPDFPageObj_GetStrokeWidth(raw, _number) else 1.0


def _colour(getter: object, raw: pdfium_c.FPDF_PAGEOBJECT) -> tuple[int, int, int, int]:
    """Red, green, blue, alpha; black where the file has a pattern."""
    if not getter(raw, *_rgba):  # type: ignore[operator]  # one of PDFium's functions
        return 0, 0, 0, 255
    red, green, blue, alpha = (part.value for part in _rgba)
    return red, green, blue, alpha


def _clip(raw: pdfium_c.FPDF_PAGEOBJECT, around: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """The rectangle within which a path is drawn, from the boxes of its clipping paths."""
    clip = pdfium_c.FPDFPageObj_GetClipPath(raw)
    count = pdfium_c.FPDFClipPath_CountPaths(clip) if clip else 0
    left, bottom, right, top = _EVERYWHERE
    for path in range(max(0, count - _MOST_CLIPS), count):
        points = pdfium_c.FPDFClipPath_CountPathSegments(clip, path)
        if not 2 <= points <= _CLIP_POINTS:
            continue
        xs, ys = [], []
        for index in range(points):
            segment = pdfium_c.FPDFClipPath_GetPathSegment(clip, path, index)
            pdfium_c.FPDFPathSegment_GetPoint(segment, _x, _y)
            xs.append(_x.value)
            ys.append(_y.value)
        left, bottom = max(left, min(xs)), max(bottom, min(ys))
        right, top = min(right, max(xs)), min(top, max(ys))
    if not np.isfinite([left, bottom, right, top]).all() or np.array_equal(around, np.eye(3)):
        return left, bottom, right, top
    placed = (np.array([(x, y, 1.0) for x in (left, right) for y in (bottom, top)]) @ around)[:, :2]
    (x0, y0), (x1, y1) = placed.min(axis=0).tolist(), placed.max(axis=0).tolist()
    return x0, y0, x1, y1
