"""The characters of a PDF page as PDFium gives them: boxes in page-image pixels, fonts, visibility."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.ingest.glyph_names import Candidates, chosen, font_characters
from galley.ingest.pdf_faces import face
from galley.ingest.type3_codes import is_nameless, text_of_code

ASCENT, DESCENT = 0.88, 0.25
"""Type sizes above and below the baseline: the medians of what the fonts of 80 files say of themselves."""
_LEAST_SIZE = 2.0
"""Points; smaller text is not meant for people."""
_THICKENED = 0.012
"""Type sizes; the least width of an outline that makes letters bold, as word processors draw it."""
_LEAST_SLANT, _MOST_SLANT = 0.1, 0.6
"""Sines of angles; programs that make italics of an upright font slant it by 0.2 to 0.35."""
_INVISIBLE_MODES = (pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium_c.FPDF_TEXTRENDERMODE_CLIP)
# Font descriptor flags, ISO 32000-1, table 123.
_FIXED_PITCH, _ITALIC, _SMALL_CAP, _FORCE_BOLD = 1 << 0, 1 << 6, 1 << 17, 1 << 18
# Names as foundries write them, then those of TeX families: cmbx10, sfbx1000, ecti1095, cmtt9.
_BOLD = re.compile(
    r"bold|black|heavy|demi(?!lig)|[-,.]bd\b|\.b\b|^(cm|sf|ec|ef|pl|lm)(ss)?(bx|db|b\d)|-medi(ital|obli)?$"
    r"|^linlibertinetz?b|^linbiolinumtb|^(t1)?[tp]xbi?$|[-,](semi|extra)?bd(it|ital|obl)?$",
    re.IGNORECASE,
)
_SLANTED = re.compile(
    r"ital|obliq|slant|\.i\b|^(cm|sf|ec|pl|lm)(bx|ss|tt)?(ti|sl|mi|u\d|i\d|it)|^lin(libertine|biolinum)tz?b?i"
    r"|^(t1)?[tp]xb?(i|sl)$|[-,](semi|extra)?(bd|bold|light)?(it|obl)$",
    re.IGNORECASE,
)
_SMALL_CAPS = re.compile(
    r"small-?cap|[-,.](bold|ital)*sc\b|^(cm|sf|ec|pl|lm)b?(csc|cc|xc)|romancaps|monocaps", re.IGNORECASE
)
_MONO = re.compile(r"mono|courier|consol|typewriter|fixed|\bcode|^(cm|sf|ec|pl)(tt|sltt|itt)", re.IGNORECASE)


@dataclass(frozen=True)
class Font:
    """A font's name without its subset prefix, and its style."""

    name: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    small_caps: bool = False


@dataclass(frozen=True)
class Run:
    """What the characters of one text object share.

    size: in points. drawn: whether its render mode shows it. order: of drawing. angle: of its baseline in degrees,
    counter-clockwise in user space. up: from its baseline to the height of its type size, in points.
    colour: its fill's red, green and blue of 0 to 255, None where it is not known. slanted: whether its letters are
    made to lean. thickened: whether strokes around its letters make them bold.
    """

    font: Font = field(default_factory=Font)
    size: float = 0.0
    drawn: bool = True
    order: int = -1
    angle: float = 0.0
    up: tuple[float, float] = (0.0, 0.0)
    colour: tuple[int, int, int] | None = None
    slanted: bool = False
    thickened: bool = False


@dataclass
class Glyphs:
    """``n`` characters in content order.

    chars: one code point each, surrogates joined. boxes: (n, 4) float32 ``x0, y0, x1, y1`` in page-image
    pixels, font height × advance width. sizes: (n,) float32 font size in pixels. runs: what each belongs to.
    unmapped: (n,) bool, true where the file names no Unicode. generated: (n,) bool, true for the white space that
    PDFium puts in where the file has none.
    """

    chars: list[str]
    boxes: NDArray[np.float32]
    sizes: NDArray[np.float32]
    runs: list[Run]
    unmapped: NDArray[np.bool_]
    generated: NDArray[np.bool_]

    def taken(self, kept: NDArray[np.int64], chars: list[str]) -> Glyphs:
        """The glyphs of these indices, with ``chars`` (of all glyphs) in the place of the characters."""
        return Glyphs(
            [chars[i] for i in kept],
            self.boxes[kept],
            self.sizes[kept],
            [self.runs[i] for i in kept],
            self.unmapped[kept],
            self.generated[kept],
        )


class PageMap:
    """Maps a page's user space (points, y up, before /Rotate) to pixels of its image."""

    def __init__(self, page: pdfium.PdfPage, width: int, height: int) -> None:
        left, bottom, right, top = page.get_bbox()
        self._origin = np.array([left, bottom])
        self._extent = np.array([max(right - left, 1e-6), max(top - bottom, 1e-6)])
        self._turns = page.get_rotation() // 90
        self._size = np.array([width, height], dtype=np.float64)
        turned = self._extent if self._turns % 2 == 0 else self._extent[::-1]
        self.scale = float((self._size / turned).mean())
        """pixels per point"""

    def boxes(self, points: NDArray[np.float64]) -> NDArray[np.float32]:
        """(n, 4) boxes ``left, bottom, right, top`` in user space to (n, 4) ``x0, y0, x1, y1`` in pixels."""
        corners = self.points(points.reshape(-1, 2)).reshape(-1, 2, 2)
        return np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1).astype(np.float32)

    def points(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n, 2) points in user space to (n, 2) ``x, y`` in pixels."""
        right, up = ((points - self._origin) / self._extent).T
        placed = ((right, 1 - up), (up, right), (1 - right, up), (1 - up, 1 - right))[self._turns]
        return np.stack(placed, axis=1) * self._size


def read_glyphs(page: pdfium.PdfPage, space: PageMap, order: dict[int, int]) -> Glyphs:
    """Every character of the page. ``order``: drawing order by text object address."""
    text = page.get_textpage()
    try:
        reader = _GlyphReader(text, order)
        return _join_surrogates(reader.read(space))
    finally:
        text.close()


class _GlyphReader:
    def __init__(self, text: pdfium.PdfTextPage, order: dict[int, int]) -> None:
        self._text = text
        self._order = order
        self._runs: dict[int, Run] = {0: Run()}
        self._fonts: dict[int, Font] = {}
        self._matrix = pdfium_c.FS_MATRIX()

    def read(self, space: PageMap) -> Glyphs:
        count = max(0, pdfium_c.FPDFText_CountChars(self._text))
        points = np.zeros((count, 4))
        sizes = np.zeros(count, dtype=np.float32)
        unmapped = np.zeros(count, dtype=bool)
        chars, runs = [], []
        origins, ups = np.zeros((count, 2)), np.zeros((count, 2))
        for index, (box, origin) in enumerate(self._places(count)):
            code = pdfium_c.FPDFText_GetUnicode(self._text, index)
            chars.append(chr(code) if code <= 0x10FFFF else "\ufffd")
            run = self._run(index)
            runs.append(run)
            points[index] = box
            origins[index], ups[index] = origin, run.up
            sizes[index] = run.size * space.scale
            unmapped[index] = pdfium_c.FPDFText_HasUnicodeMapError(self._text, index) == 1
        generated = np.array([run is self._runs[0] for run in runs], dtype=bool)
        if unmapped.any():
            self._name(chars, points, runs, unmapped)
        points = _on_baseline(points, origins, ups)
        return Glyphs(chars, space.boxes(points), sizes, runs, unmapped, generated)

    def _name(
        self,
        chars: list[str],
        points: NDArray[np.float64],
        runs: Sequence[Run],
        unmapped: NDArray[np.bool_],
    ) -> None:
        """Put characters for codes where fonts tell what their glyphs are, and mark those as mapped."""
        tables: dict[int, Candidates] = {}
        codes = {ord(chars[i]) for i in np.flatnonzero(unmapped) if is_nameless(runs[int(i)].font.name)}
        for index in map(int, np.flatnonzero(unmapped)):
            if is_nameless(runs[index].font.name):
                chars[index] = text_of_code(ord(chars[index]), codes)  # a guess, so it stays unmapped
                continue
            if face(runs[index].font.name).encoding:
                continue  # a table of TeX's tells more
            raw = pdfium_c.FPDFTextObj_GetFont(pdfium_c.FPDFText_GetTextObject(self._text, index))
            address = ctypes.cast(raw, ctypes.c_void_p).value or 0
            if address not in tables:
                tables[address] = font_characters(raw)
            level = abs(np.cos(np.radians(runs[index].angle))) > 0.5
            width = abs(points[index, 2] - points[index, 0] if level else points[index, 3] - points[index, 1])
            found = chosen(tables[address].get(ord(chars[index]), ()), width / max(1e-6, runs[index].size))
            if found:
                chars[index], unmapped[index] = found, False
            elif chars[index] != " " and chars[index].isspace():
                chars[index] = "\ufffd"  # a code that happens to be that of a line's end

    def _places(self, count: int) -> Iterator[tuple[tuple[float, float, float, float], tuple[float, float]]]:
        """The box ``left, bottom, right, top`` of each character and its origin on the baseline."""
        rect, x, y = pdfium_c.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
        for index in range(count):
            pdfium_c.FPDFText_GetLooseCharBox(self._text, index, rect)
            pdfium_c.FPDFText_GetCharOrigin(self._text, index, x, y)
            yield (rect.left, rect.bottom, rect.right, rect.top), (x.value, y.value)

    def _colour(self, index: int) -> tuple[int, int, int] | None:
        parts = [ctypes.c_uint() for _ in range(4)]
        known = pdfium_c.FPDFText_GetFillColor(self._text, index, *parts)
        return (parts[0].value, parts[1].value, parts[2].value) if known else None

    def _is_thickened(self, text_object: pdfium_c.FPDF_PAGEOBJECT, index: int, size: float) -> bool:
        """Whether filled letters have an outline of their own colour, wide enough to make them bold."""
        width, parts = ctypes.c_float(), [ctypes.c_uint() for _ in range(4)]
        pdfium_c.FPDFPageObj_GetStrokeWidth(text_object, width)
        known = pdfium_c.FPDFText_GetStrokeColor(self._text, index, *parts)
        stroke = (parts[0].value, parts[1].value, parts[2].value) if known else None
        return abs(width.value) >= _THICKENED * abs(size) and stroke == self._colour(index)

    def _run(self, index: int) -> Run:
        raw = pdfium_c.FPDFText_GetTextObject(self._text, index)
        address = ctypes.cast(raw, ctypes.c_void_p).value or 0
        if address not in self._runs:
            pdfium_c.FPDFText_GetMatrix(self._text, index, self._matrix)
            size = pdfium_c.FPDFText_GetFontSize(self._text, index)
            stretch = float(np.hypot(self._matrix.c, self._matrix.d))
            mode = pdfium_c.FPDFTextObj_GetTextRenderMode(raw)
            self._runs[address] = Run(
                self._font(raw),
                abs(size * stretch),
                mode not in _INVISIBLE_MODES and abs(size * stretch) >= _LEAST_SIZE,
                self._order.get(address, -1),
                float(np.degrees(np.arctan2(self._matrix.b, self._matrix.a))),
                (size * self._matrix.c, size * self._matrix.d),
                self._colour(index),
                _leans(self._matrix),
                mode == pdfium_c.FPDF_TEXTRENDERMODE_FILL_STROKE and self._is_thickened(raw, index, size),
            )
        return self._runs[address]

    def _font(self, text_object: pdfium_c.FPDF_PAGEOBJECT) -> Font:
        raw = pdfium_c.FPDFTextObj_GetFont(text_object)
        address = ctypes.cast(raw, ctypes.c_void_p).value or 0
        if not address:
            return Font()
        if address not in self._fonts:
            self._fonts[address] = _describe(raw)
        return self._fonts[address]


def _leans(matrix: pdfium_c.FS_MATRIX) -> bool:
    """Whether a text matrix makes upright letters slant as italic ones do."""
    across, along = np.hypot(matrix.c, matrix.d), np.hypot(matrix.a, matrix.b)
    if not across or not along:
        return False
    slant = (matrix.a * matrix.c + matrix.b * matrix.d) / (across * along)
    return bool(_LEAST_SLANT < slant < _MOST_SLANT)


def _on_baseline(
    boxes: NDArray[np.float64], origins: NDArray[np.float64], ups: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(n, 4) boxes ``left, bottom, right, top`` with the height of their type size, from its baseline on.

    PDFium takes the height from the font's descriptor, which in some fonts claims five times the size.
    origins: (n, 2). ups: (n, 2), see ``Run``. Text at other angles than right ones, and vertical writing, whose
    origins lie in the middle of a glyph, keep their boxes.
    """
    fitted = boxes.copy()
    for axis, across in ((1, 0), (0, 1)):
        up = ups[:, axis]
        size = np.abs(up)
        low, high = boxes[:, axis], boxes[:, axis + 2]
        start = np.abs(boxes[:, across] - origins[:, across])
        end = np.abs(boxes[:, across + 2] - origins[:, across])
        straight = (size > 0) & (np.abs(ups[:, across]) < 0.02 * size)
        at_origin = np.minimum(start, end) < 0.3 * size
        within = (origins[:, axis] > low - 0.1 * size) & (origins[:, axis] < high + 0.1 * size)
        chosen = straight & at_origin & within
        edges = origins[:, axis, None] + up[:, None] * np.array([-DESCENT, ASCENT])
        fitted[chosen, axis] = edges.min(axis=1)[chosen]
        fitted[chosen, axis + 2] = edges.max(axis=1)[chosen]
    return fitted


def _describe(raw: pdfium_c.FPDF_FONT) -> Font:
    size = pdfium_c.FPDFFont_GetBaseFontName(raw, None, 0)
    buffer = ctypes.create_string_buffer(max(1, size))
    pdfium_c.FPDFFont_GetBaseFontName(raw, buffer, size)
    name = buffer.value.decode("utf-8", "replace")
    if len(name) > 7 and name[6] == "+":
        name = name[7:]
    flags = max(0, pdfium_c.FPDFFont_GetFlags(raw))
    angle = ctypes.c_int()
    slanted = bool(pdfium_c.FPDFFont_GetItalicAngle(raw, angle)) and angle.value != 0
    # PDFium's weight is left out: it is guessed from the stem width and calls many regular fonts bold.
    return Font(
        name=name,
        bold=bool(_BOLD.search(name)) or bool(flags & _FORCE_BOLD),
        italic=bool(_SLANTED.search(name)) or bool(flags & _ITALIC) or slanted,
        mono=bool(_MONO.search(name)) or bool(flags & _FIXED_PITCH),
        small_caps=bool(_SMALL_CAPS.search(name)) or bool(flags & _SMALL_CAP),
    )


def _join_surrogates(glyphs: Glyphs) -> Glyphs:
    """Give a surrogate pair as its one character; a lone half becomes U+FFFD."""
    if not any("\ud800" <= char <= "\udfff" for char in glyphs.chars):
        return glyphs
    keep = np.ones(len(glyphs.chars), dtype=bool)
    chars = list(glyphs.chars)
    for index, char in enumerate(glyphs.chars):
        if not keep[index] or not "\ud800" <= char <= "\udfff":
            continue
        pair = char + (chars[index + 1] if index + 1 < len(chars) else "")
        joined = pair.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        chars[index] = joined if len(joined) == 1 else "\ufffd"
        if len(joined) == 1 and len(pair) == 2:
            keep[index + 1] = False
    return glyphs.taken(np.flatnonzero(keep), chars)
