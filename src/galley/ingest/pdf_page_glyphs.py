"""A PDF page as its glyphs and rules: each glyph's font, size, origin, advance and ink, exact as the file has them."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.ingest.page_glyphs import FontFace, PageGlyphs
from galley.ingest.pdf_faces import face
from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_rules import read_shapes, thin_boxes
from galley.ingest.pdf_scene import read_scene

_BLANK = (0x0, 0x9, 0xA, 0xD, 0x20, 0xA0)
_INVISIBLE_MODES = (pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_c.FPDF_TEXTRENDERMODE_CLIP)
_LONGEST_NAME = 256


def read_page_glyphs(
    page: pdfium.PdfPage, space: PageMap, rules: NDArray[np.float64] | None = None
) -> PageGlyphs:
    """Glyphs and rules of a page, placed by ``space``. Spaces, PDFium's own among them, are left out.

    rules: (m, 4) boxes of the page's lines in pixels, where they have been read.
    """
    if rules is None:
        rules = thin_boxes(read_shapes(read_scene(page, space).paths, space), space)
    text = page.get_textpage()
    try:
        return _Reader(text).read(space, rules)
    finally:
        text.close()


@dataclass(frozen=True)
class _Run:
    """What the glyphs of one text object share. matrix: a, b, c, d."""

    face: int
    size: float
    drawn: bool
    matrix: tuple[float, float, float, float]


class _Reader:
    def __init__(self, text: pdfium.PdfTextPage) -> None:
        self._text = text.raw
        self._runs: dict[int, _Run] = {}
        self._faces: dict[int, int] = {}
        self._fonts: list[FontFace] = []

    def read(self, space: PageMap, rules: NDArray[np.float64]) -> PageGlyphs:
        rows = list(self._rows(max(0, pdfium_c.FPDFText_CountChars(self._text))))
        table = np.array(rows, dtype=np.float64).reshape(-1, 16)
        codes, unmapped, faces = (table[:, n].astype(np.int64) for n in range(3))
        ink = space.boxes(table[:, 4:8]).astype(np.float64)
        loose = space.boxes(table[:, 8:12]).astype(np.float64)
        points = space.boxes(np.concatenate([table[:, 12:14], table[:, 12:14]], axis=1))[:, :2]
        ahead = table[:, 12:14] + table[:, 14:16]
        ends = space.boxes(np.concatenate([ahead, ahead], axis=1))[:, :2]
        level = np.abs(ends - points)
        return PageGlyphs(
            codes,
            unmapped.astype(bool),
            faces,
            table[:, 3] * space.scale,
            points.astype(np.float64),
            loose[:, 2] - loose[:, 0],
            ink,
            (ends[:, 0] > points[:, 0]) & (level[:, 1] < 0.02 * level[:, 0]),
            rules,
            tuple(self._fonts),
        )

    def _rows(self, count: int) -> Iterator[tuple[float, ...]]:
        """Code, unmapped, face, size, ink (4), loose box (4), origin (2), direction (2) of each visible glyph."""
        text = self._text
        left, right, bottom, top = (ctypes.c_double() for _ in range(4))
        x, y = ctypes.c_double(), ctypes.c_double()
        loose = pdfium_c.FS_RECTF()
        high = 0
        for index in range(count):
            code = pdfium_c.FPDFText_GetUnicode(text, index)
            failed = pdfium_c.FPDFText_HasUnicodeMapError(text, index) == 1
            run = self._run(index)
            if (
                run is None
                or not run.drawn
                or (code in _BLANK and not failed and not self._is_code(run, code))
            ):
                continue
            if 0xD800 <= code < 0xDC00:
                high = code
                continue
            if 0xDC00 <= code < 0xE000:
                code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00 if high else 0xFFFD
            high = 0
            pdfium_c.FPDFText_GetCharBox(text, index, left, right, bottom, top)
            pdfium_c.FPDFText_GetLooseCharBox(text, index, loose)
            pdfium_c.FPDFText_GetCharOrigin(text, index, x, y)
            a, b = run.matrix[:2]
            ink = left.value, bottom.value, right.value, top.value
            box = loose.left, loose.bottom, loose.right, loose.top
            yield code, failed, run.face, run.size, *ink, *box, x.value, y.value, a, b

    def _is_code(self, run: _Run, code: int) -> bool:
        """Whether a zero is a code of a font without Unicode, like the parenthesis of TeX's extension font."""
        return code == 0 and face(self._fonts[run.face].name).encoding == "omx"

    def _run(self, index: int) -> _Run | None:
        raw = pdfium_c.FPDFText_GetTextObject(self._text, index)
        address = ctypes.cast(raw, ctypes.c_void_p).value or 0
        if not address:
            return None
        if address not in self._runs:
            matrix = pdfium_c.FS_MATRIX()
            pdfium_c.FPDFText_GetMatrix(self._text, index, matrix)
            size = pdfium_c.FPDFText_GetFontSize(self._text, index)
            stretch = float(np.hypot(matrix.c, matrix.d))
            drawn = pdfium_c.FPDFTextObj_GetTextRenderMode(raw) not in _INVISIBLE_MODES
            shape = matrix.a, matrix.b, matrix.c, matrix.d
            self._runs[address] = _Run(self._face(raw), abs(size * stretch), drawn, shape)
        return self._runs[address]

    def _face(self, text_object: pdfium_c.FPDF_PAGEOBJECT) -> int:
        raw = pdfium_c.FPDFTextObj_GetFont(text_object)
        address = ctypes.cast(raw, ctypes.c_void_p).value or 0
        if address not in self._faces:
            name = ctypes.create_string_buffer(_LONGEST_NAME)
            pdfium_c.FPDFFont_GetBaseFontName(raw, name, _LONGEST_NAME)
            plain = name.value.decode("utf-8", "replace")
            plain = plain[7:] if len(plain) > 7 and plain[6] == "+" else plain
            self._faces[address] = len(self._fonts)
            self._fonts.append(FontFace(plain, max(0, pdfium_c.FPDFFont_GetFlags(raw))))
        return self._faces[address]
