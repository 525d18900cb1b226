"""Characters for glyphs whose file names no Unicode, from the names that their fonts give them.

An embedded font often says what a PDF leaves out: by the names of its glyphs (Type 1, CFF, the ``post`` table of
TrueType) or by its own table of characters. Such a glyph comes as its code: the number of the glyph, or a place in the
font's encoding. Which of the two it is, its width tells.
"""

from __future__ import annotations

import ctypes
import io
import logging
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

import pypdfium2.raw as pdfium_c

_NAMED = re.compile(rb"dup\s+(\d+)\s*/([^\s/\[\](){}<>%]+)\s+put")
_LARGEST = 32 * 1024 * 1024
"""Bytes; a font program that claims more is not read."""
_SAME_WIDTH = 0.03
"""Type sizes; widths of one glyph in the page and in its font differ by less."""
# Names of TeX's and other fonts that Adobe's glyph list does not have.
_OTHER_NAMES = {
    "epsilon1": "ϵ", "theta1": "ϑ", "pi1": "ϖ", "rho1": "ϱ", "sigma1": "ς", "phi1": "ϕ", "lscript": "ℓ",
    "star": "⋆", "openbullet": "◦", "asteriskmath": "∗", "mapsto": "↦", "precedesequal": "⪯", "followsequal": "⪰",
    "bardbl": "‖", "visiblespace": "␣", "dotlessj": "ȷ", "Ifractur": "ℑ", "Rfractur": "ℜ", "weierstrass": "℘",
    "similarequal": "≃", "equivasymptotic": "≍", "owner": "∋", "latticetop": "⊤", "perpendicular": "⊥",
    "floorleft": "⌊", "floorright": "⌋", "ceilingleft": "⌈", "ceilingright": "⌉", "angbracketleft": "⟨",
    "angbracketright": "⟩", "backslash": "\\", "wreathproduct": "≀", "unionmulti": "⊎", "intersectionsq": "⊓",
    "unionsq": "⊔", "subsetsqequal": "⊑", "supersetsqequal": "⊒", "dagger": "†", "daggerdbl": "‡", "quoteright": "’",
}  # fmt: skip

_LIGATURES = {"ff": "\ufb00", "fi": "\ufb01", "fl": "\ufb02", "ffi": "\ufb03", "ffl": "\ufb04"}

Candidates = dict[int, list[tuple[str, float | None]]]
"""By code: what the glyph may be, each with its width in type sizes where the font tells."""


def font_characters(font: pdfium_c.FPDF_FONT) -> Candidates:
    """What an embedded font says of its glyphs; nothing where it says nothing or cannot be read."""
    data = _program(font)
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    try:
        if data[:4] in (b"\x00\x01\x00\x00", b"true", b"OTTO"):
            return _of_sfnt(data)
        if data[:1] == b"\x01" and data[:4] != b"\x01\x00\x00\x00":
            return _of_cff(data)
        return _of_type1(data)
    except Exception:  # a damaged font program may raise anything; the page is read without it
        return {}


def chosen(candidates: Sequence[tuple[str, float | None]], width: float) -> str | None:
    """The first candidate whose width is that of the glyph on the page, in type sizes; None where it has no name."""
    for char, own in candidates:
        if own is None or abs(own - width) < _SAME_WIDTH:
            return char or None
    return None


def character(name: str) -> str:
    """The character of a glyph's name, several of a ligature, "" for a name that tells nothing."""
    from fontTools.agl import toUnicode  # only few pages need it

    plain = name.split(".", 1)[0]
    found = _OTHER_NAMES.get(plain) or toUnicode(plain)
    found = unicodedata.normalize("NFC", found)  # an ohm is an omega
    return _LIGATURES.get(found, found)


def _program(font: pdfium_c.FPDF_FONT) -> bytes:
    size = ctypes.c_size_t()
    if pdfium_c.FPDFFont_GetIsEmbedded(font) != 1 or not pdfium_c.FPDFFont_GetFontData(font, None, 0, size):
        return b""
    if not 0 < size.value <= _LARGEST:
        return b""
    buffer = (ctypes.c_uint8 * size.value)()
    pdfium_c.FPDFFont_GetFontData(font, buffer, size.value, size)
    return bytes(buffer)


def _of_sfnt(data: bytes) -> Candidates:
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(data), lazy=True)
    names: list[str] = font.getGlyphOrder()
    units = font["head"].unitsPerEm
    widths = {name: width / units for name, (width, _) in font["hmtx"].metrics.items()}
    chars = _reverse_map(font)
    found: Candidates = {}

    def add(code: int, name: str) -> None:
        char = chars.get(name) or character(name)
        found.setdefault(code, []).append((char, widths.get(name)))

    for number, name in enumerate(names):
        add(number, name)
    for table in font["cmap"].tables if "cmap" in font else ():
        if table.platformID == 1 or (table.platformID, table.platEncID) == (3, 0):
            for code, name in table.cmap.items():
                add(code & 0xFF if code >= 0xF000 else code, name)
    return found


def _reverse_map(font: Any) -> dict[str, str]:
    """Characters by glyph name, from the font's table of characters where that is one of Unicode."""
    best = font["cmap"].getBestCmap() if "cmap" in font else None
    found: dict[str, str] = {}
    for code, name in sorted((best or {}).items()):
        if not 0xE000 <= code <= 0xF8FF and chr(code).isprintable() and not chr(code).isspace():
            found.setdefault(name, chr(code))
    return found


def _of_cff(data: bytes) -> Candidates:
    from fontTools.cffLib import CFFFontSet
    from fontTools.pens.basePen import NullPen

    fonts = CFFFontSet()
    fonts.decompile(io.BytesIO(data), None)
    top = fonts[0]
    if hasattr(top, "ROS"):
        return {}
    encoding = top.Encoding if isinstance(top.Encoding, list) else []
    scale = abs(top.FontMatrix[0]) if hasattr(top, "FontMatrix") else 0.001
    found: Candidates = {}
    for names in (encoding, top.charset):
        for code, name in enumerate(names):
            if name != ".notdef" and name in top.CharStrings:
                shape = top.CharStrings[name]
                shape.draw(NullPen())
                found.setdefault(code, []).append((character(name), shape.width * scale))
    return found


def _of_type1(data: bytes) -> Candidates:
    found: Candidates = {}
    for code, name in _NAMED.findall(data.partition(b"eexec")[0]):
        found[int(code)] = [(character(name.decode("latin-1")), None)]
    return found
