"""Codes of TeX's fonts that have no Unicode of their own: the extension font's pieces, symbols' halves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Part = Literal["", "top", "middle", "bottom", "extension"]


@dataclass(frozen=True)
class Code:
    """A glyph of a font by its code. char: the Unicode character it is or is a part of."""

    char: str
    part: Part = ""


def _sizes(*rows: tuple[str, str]) -> dict[int, Code]:
    """Glyphs that come in several sizes. rows: characters, and where they begin, each size after all of the former."""
    return {int(start, 16) + n: Code(char) for chars, start in rows for n, char in enumerate(chars)}


# The extension font (OMX): Knuth, The TeXbook, appendix F, figure 5.
OMX: dict[int, Code] = {
    **_sizes(("()[]⌊⌋⌈⌉{}⟨⟩|‖/\\", "0"), ("()", "10"), ("()[]⌊⌋⌈⌉{}⟨⟩/\\", "12"), ("()[]⌊⌋⌈⌉{}⟨⟩/\\", "20")),
    **_sizes(("/\\", "2e"), ("⟨⟩", "44"), ("⊔⨆∮∮⨀⨀⨁⨁⨂⨂", "46")),
    **_sizes(("∑∏∫⋃⋂⨄⋀⋁", "50"), ("∑∏∫⋃⋂⨄⋀⋁", "58"), ("∐∐", "60")),
    **_sizes(("ˆˆˆ˜˜˜[]⌊⌋⌈⌉{}", "62"), ("√√√√", "70")),
    0x30: Code("(", "top"),
    0x31: Code(")", "top"),
    0x32: Code("[", "top"),
    0x33: Code("]", "top"),
    0x34: Code("[", "bottom"),
    0x35: Code("]", "bottom"),
    0x36: Code("[", "extension"),
    0x37: Code("]", "extension"),
    0x38: Code("{", "top"),
    0x39: Code("}", "top"),
    0x3A: Code("{", "bottom"),
    0x3B: Code("}", "bottom"),
    0x3C: Code("{", "middle"),
    0x3D: Code("}", "middle"),
    0x3E: Code("{", "extension"),
    0x3F: Code("↕", "extension"),
    0x40: Code("(", "bottom"),
    0x41: Code(")", "bottom"),
    0x42: Code("(", "extension"),
    0x43: Code(")", "extension"),
    0x46: Code("⨆"),
    0x47: Code("⨆"),
    0x74: Code("√", "bottom"),
    0x75: Code("√", "extension"),
    0x76: Code("√", "top"),
    0x7A: Code("⏞", "top"),
    0x7B: Code("⏞", "bottom"),
    0x7C: Code("⏟", "top"),
    0x7D: Code("⏟", "bottom"),
}

_PARTS: tuple[tuple[str, str, Part], ...] = (
    ("⎛\uf8eb", "(", "top"),
    ("⎜\uf8ec", "(", "extension"),
    ("⎝\uf8ed", "(", "bottom"),
    ("⎞\uf8f6", ")", "top"),
    ("⎟\uf8f7", ")", "extension"),
    ("⎠\uf8f8", ")", "bottom"),
    ("⎡\uf8ee", "[", "top"),
    ("⎢\uf8ef", "[", "extension"),
    ("⎣\uf8f0", "[", "bottom"),
    ("⎤\uf8f9", "]", "top"),
    ("⎥\uf8fa", "]", "extension"),
    ("⎦\uf8fb", "]", "bottom"),
    ("⎧\uf8f1", "{", "top"),
    ("⎨\uf8f2", "{", "middle"),
    ("⎩\uf8f3", "{", "bottom"),
    ("⎪\uf8f4", "{", "extension"),
    ("⎫\uf8fc", "}", "top"),
    ("⎬\uf8fd", "}", "middle"),
    ("⎭\uf8fe", "}", "bottom"),
    ("⏐", "|", "extension"),
    ("⎷", "√", "bottom"),
)
PIECES: dict[int, Code] = {ord(char): Code(whole, part) for chars, whole, part in _PARTS for char in chars}
"""Unicode's pieces of tall brackets, and Adobe's in the private-use area."""

# Symbols (OMS) that glyph names do not tell.
OMS: dict[int, Code] = {
    0x37: Code("\ue037"),  # the bar of \mapsto
    0x36: Code("\u0338"),
    0x00: Code("−"),
    0x01: Code("·"),
    0x6A: Code("|"),
    0x6B: Code("‖"),
    0x6E: Code("∖"),
    0x70: Code("√"),
    0x71: Code("⨿"),
    0x74: Code("⊔"),
    0x75: Code("⊓"),
    0x5D: Code("⊎"),
}
# Letters and signs of the mathematical italic (OML) likewise.
OML: dict[int, Code] = {
    0x28: Code("↼"),
    0x29: Code("↽"),
    0x2A: Code("⇀"),
    0x2B: Code("⇁"),
    0x2C: Code("\ue02c"),  # hooks of arrows
    0x2D: Code("\ue02d"),
    0x2E: Code("▷"),
    0x2F: Code("◁"),
    0x3A: Code("."),
    0x3B: Code(","),
    0x3D: Code("/"),
    0x3F: Code("⋆"),
    0x5B: Code("♭"),
    0x5C: Code("♮"),
    0x5D: Code("♯"),
    0x5E: Code("⌣"),
    0x5F: Code("⌢"),
    0x7D: Code("℘"),
    0x7E: Code("⃗"),
}
_MSA = "⊡⊞⊠□■⋅◇⧫↻↺⇌⇋⊟⊩⊪⊨↠↞⇇⇉⇈⇊↾⇂↿⇃↣↢⇆⇄↰↱⇝↭↫↬≗≿≳⪆⊸∴∵≑≜≾≲⪅⪕⪖⋞⋟≼≦⩽≶‵ ≓≒≽≧⩾≷ ⊏⊐⊳⊲⊵⊴★≬▼▶◀ ⊳⊲▲△⋛⋚⋔∥∤✓¥✠∢∡"
MSA: dict[int, Code] = {n: Code(char) for n, char in enumerate(_MSA) if char != " "}
_MSB = "≨≩≰≱≮≯⊀⊁ ⪇⪈⪵⪶≵≴⋦⋧≁≇⊈⊉"
MSB: dict[int, Code] = {
    **{n: Code(char) for n, char in enumerate(_MSB) if char != " "},
    0x22: Code("⊈"),
    0x24: Code("⊈"),
    0x28: Code("⊊"),
    0x2D: Code("∤"),
    0x2E: Code("∤"),
    0x3F: Code("∅"),
    0x40: Code("∄"),
    0x7E: Code("ℏ"),
    0x7F: Code("ℏ"),
}

HALVES = "\ue037\ue02c\ue02d\u0338"
"""Parts of composite signs: the bar of ``\\mapsto``, hooks of arrows, the slash through a relation."""
_TABLES = {"omx": OMX, "oms": OMS, "oml": OML, "msa": MSA, "msb": MSB}


def known(code: int, unmapped: bool, encoding: str) -> Code:
    """What a glyph is.

    Args:
        code: Its Unicode character, or its code in the font where ``unmapped``.
        unmapped: Whether the file names no Unicode for it.
        encoding: Of the font's codes, as ``pdf_faces.Face`` has it.

    Returns:
        Its character, U+FFFD where nobody knows.
    """
    if code in PIECES:
        return PIECES[code]
    if unmapped or (encoding == "omx" and code < 0x80):
        table = _TABLES.get(encoding)
        if table is not None:
            return table.get(code, Code("\ufffd"))
        return Code(chr(code) if 0x20 < code < 0x7F else "\ufffd")
    return Code({0x2: "-"}.get(code, chr(code)))


def text_of(code: int, unmapped: bool, encoding: str) -> str | None:
    """A glyph of a mathematical font as text, "" for all but one piece of a sign that has several; None for others."""
    if code not in PIECES and not (unmapped and encoding in _TABLES):
        return None
    found = known(code, unmapped, encoding)
    return found.char if found.part in ("", "top") and found.char not in HALVES else ""
