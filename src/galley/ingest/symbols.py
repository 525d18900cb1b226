"""Characters of a PDF's text layer as plain Unicode text."""

from __future__ import annotations

import unicodedata

from galley.ingest.pdf_faces import face
from galley.ingest.tex_encodings import text_of
from galley.ingest.type3_codes import is_nameless

_SYMBOL_FONTS = ("wingdings", "webdings", "symbol", "dingbats")

# Symbol fonts put their glyphs at U+F000 + code; these are the codes documents use Wingdings and Symbol for.
_WINGDINGS = dict(
    zip(b"lmnoqruv\x9f\xa0\xa7\xa8\xd8\xdf\xe0\xf0\xfb\xfc\xfd\xfe", "●❍■□❑❒◆❖•▪▪◻➢←→⇨✗✓☒☑", strict=True)
)
_SYMBOL = {0xB7: "•", 0xA7: "♣", 0xAE: "→", 0xAC: "←", 0xB0: "°", 0xB1: "±", 0xB4: "×", 0xA3: "≤", 0xB3: "≥"}
# What Adobe's fonts keep in the private-use area.
_ADOBE = {0xF6D9: "©", 0xF6DA: "®", 0xF6DB: "™", 0xF8E8: "®", 0xF8E9: "©", 0xF8EA: "™"}

_HYPHENS = "\u00ad\x02"
"""The soft hyphen, and PDFium's mark for a hyphen at the end of a line."""


def plain(char: str, font: str, unmapped: bool, last: bool) -> str:
    """``char`` as plain text.

    Ligatures are spelled out, line-end hyphens become ``-``, symbol fonts' bullets are as in Unicode.
    """
    if len(char) > 1:  # a ligature that has no character of its own
        return char
    if char in _HYPHENS:
        return "-" if last else ""
    code = ord(char)
    if 0xF000 <= code <= 0xF0FF or (unmapped and code < 0x100 and _is_symbol(font)):
        if "symbol" in font.lower():
            return _SYMBOL.get(code & 0xFF, "\ufffd")
        return _WINGDINGS.get(code & 0xFF, "•" if _is_symbol(font) else "\ufffd")
    if code in _ADOBE:
        return _ADOBE[code]
    named = text_of(code, unmapped, face(font).encoding)
    if named is not None:
        return named
    if (unmapped and not is_nameless(font)) or _is_unknown(code):
        return "\ufffd"
    if 0xFB00 <= code <= 0xFB06:
        return ("ff", "fi", "fl", "ffi", "ffl", "ft", "st")[code - 0xFB00]
    if 0xFB1D <= code <= 0xFDFF or 0xFE70 <= code <= 0xFEFC:  # shapes of Hebrew and Arabic letters
        return unicodedata.normalize("NFKC", char).strip()
    return "" if code in (0x200B, 0xFEFF, 0x2060) else char


def _is_symbol(font: str) -> bool:
    return any(name in font.lower() for name in _SYMBOL_FONTS)


def _is_unknown(code: int) -> bool:
    """Control, private-use, surrogate and non-characters."""
    return (
        code < 0x20
        or 0x7F <= code < 0xA0
        or 0xD800 <= code <= 0xF8FF
        or code >= 0xF0000
        or code & 0xFFFE == 0xFFFE
        or 0xFDD0 <= code <= 0xFDEF
    )
