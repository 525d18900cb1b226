"""Codes of bitmap fonts without names, as TeX's DVI drivers embed them: they are those of a TeX encoding."""

from __future__ import annotations

from collections.abc import Collection

_T1_LOW = "`´ˆ˜¨˝˚ˇ˘¯˙¸˛‚‹›“”„«»–—\u200b\ufffdıȷ\ufb00\ufb01\ufb02\ufb03\ufb04"
_T1_HIGH = (
    "ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß"
)
_OT1_LOW = "ΓΔΘΛΞΠΣΥΦΨΩ\ufb00\ufb01\ufb02\ufb03\ufb04ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ"
_OT1_OTHER = {
    0x22: "”",
    0x27: "’",
    0x3C: "¡",
    0x3E: "¿",
    0x5C: "“",
    0x5F: "˙",
    0x60: "‘",
    0x7B: "–",
    0x7C: "—",
}
_OT1_OTHER |= {0x7D: "˝", 0x7E: "˜", 0x7F: "¨"}
_FIRST_HIGH = 0x80


def is_nameless(font: str) -> bool:
    """Whether a font has no name, as only those have whose glyphs are drawn by the page description itself."""
    return not font


def text_of_code(code: int, codes: Collection[int]) -> str:
    """The character of a code, U+FFFD where there is none.

    Args:
        code: Of a glyph.
        codes: All that the page has of such fonts; letters with accents tell the T1 (Cork) encoding from OT1.
    """
    if any(_FIRST_HIGH <= other <= 0xFF for other in codes):
        if code < 0x20:
            return _T1_LOW[code]
        if _FIRST_HIGH <= code <= 0xFF:
            return _T1_HIGH[code - _FIRST_HIGH]
        other = {0x27: "’", 0x60: "‘", 0x7F: "-"}
    else:
        if code < len(_OT1_LOW):
            return _OT1_LOW[code]
        other = _OT1_OTHER
    return other.get(code) or (chr(code) if 0x20 < code < 0x7F else "\ufffd")
