"""Accents that a PDF draws as glyphs of their own, joined with their letters: ``´a`` set over each other is ``á``."""

from __future__ import annotations

import unicodedata

import numpy as np

from galley.ingest.pdf_glyphs import Glyphs

_COMBINING = {
    "`": "\u0300",
    "´": "\u0301",
    "ˆ": "\u0302",
    "^": "\u0302",
    "˜": "\u0303",
    "~": "\u0303",
    "¯": "\u0304",
    "˘": "\u0306",
    "˙": "\u0307",
    "¨": "\u0308",
    "˚": "\u030a",
    "˝": "\u030b",
    "ˇ": "\u030c",
    "¸": "\u0327",
    "˛": "\u0328",
}
_DOTLESS = {"ı": "i", "ȷ": "j"}
_OVERLAP = 0.5
"""Part of the narrower glyph's width that an accent and its letter share at least."""


def join_accents(glyphs: Glyphs) -> Glyphs:
    """The glyphs with each accent that is drawn over or under a letter made part of it."""
    if not any(char in _COMBINING for char in glyphs.chars):
        return glyphs
    chars = list(glyphs.chars)
    keep = np.ones(len(chars), dtype=bool)
    for index, char in enumerate(glyphs.chars):
        if char in _COMBINING and (letter := _letter(glyphs, keep, index)) is not None:
            base = _DOTLESS.get(chars[letter], chars[letter])
            joined = unicodedata.normalize("NFC", base + _COMBINING[char])
            if len(joined) == 1:
                chars[letter] = joined
                keep[min(index, letter) + 1 : max(index, letter)] = False
                keep[index] = False
    return glyphs.taken(np.flatnonzero(keep), chars)


def _letter(glyphs: Glyphs, keep: np.ndarray, accent: int) -> int | None:
    """The letter that an accent stands at: the next one, as TeX sets it, or the one before."""
    for step in (1, -1):
        index = accent + step
        while 0 <= index < len(glyphs.chars) and glyphs.generated[index]:
            index += step
        if 0 <= index < len(glyphs.chars) and keep[index] and glyphs.chars[index].isalpha():
            a, b = glyphs.boxes[accent], glyphs.boxes[index]
            shared = min(a[2], b[2]) - max(a[0], b[0])
            if shared > _OVERLAP * max(1e-3, min(a[2] - a[0], b[2] - b[0])) and a[1] < b[3] and b[1] < a[3]:
                return index
    return None
