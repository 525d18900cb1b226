"""Marks that open or identify a line.

Bullets, numbers of lists and headings, page numbers, equation numbers.
"""

from __future__ import annotations

import re

BULLETS = "•‣◦▪▫●○■□◆◇➢➤►▶✓✔∙·–—"
_BULLET = re.compile(rf"^\s*([{BULLETS}]|[-*](?=\s))\s*(?=\S)")
_ENUMERATOR = re.compile(
    r"^\s*(\(?(?:\d{1,3}|[a-zA-Z]|[ivxlIVXL]{1,6})\)|\(?(?:\d{1,2}|[a-zA-Z]|[ivxl]{1,5}|[IVXL]{1,5})\."
    r"|\.\d{1,2}|\[[ x]\]|\( \))\s+(?=\S)"  # numbers of clauses, boxes to be ticked
    r"(?!\d{3}[-.\s]\d{2,4}\b)"  # what follows the area code of a telephone number
)
# Chinese and Japanese set no space after a list number.
_ASIAN = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_ASIAN_ENUMERATOR = re.compile(
    rf"^\s*([(（](?:\d{{1,2}}|[一二三四五六七八九十]{{1,3}})[)）](?=\s*[{_ASIAN}“《])|[①-⑳]"
    rf"|(?:\d{{1,2}}|[一二三四五六七八九十]{{1,3}})、|\d{{1,2}}[.．](?=\s*[{_ASIAN}“《（(①-⑳]))\s*(?=\S)"
)
_ASIAN_SECTION = re.compile(
    r"^\s*(?:([一二三四五六七八九十]{1,3})、|[（(]([一二三四五六七八九十]{1,3})[)）])"
)
_NUMBERED = re.compile(r"^\s*(\d{1,2})\s+(?=[^\W\d_]|[\"“'‘(])")
_NUMBERING = re.compile(r"^\s*(?:§\s*)?(\d{1,2}(?:\.\d{1,3})*|[IVXL]{1,5}|[A-Z])(\.?)\s+(?=\S)")
_ROMAN = re.compile(r"m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})", re.IGNORECASE)
_PAGE_NUMBER = re.compile(
    r"(?:page|p\.|pg\.?|seite|página|pagina)?\s*[-–—\[(|·•]?"
    r"\s*(\d{1,4}|[A-Z]{1,2}-\d{1,3}|\d{1,3}-\d{1,3})\s*[-–—\])|·•]?"
    r"(?:\s*(?:of|/|von|de|sur)\s*\d{1,4})?",
    re.IGNORECASE,
)
_EQUATION_NUMBER = re.compile(r"[(\[]\s*([A-Z]?\.?\d{1,3}(?:[.\-–]\d{1,3})*[a-z]?'?)\s*[)\]]")


def bullet(text: str) -> str | None:
    """The bullet a line opens with, or None."""
    match = _BULLET.match(text)
    return match.group(1) if match else None


def enumerator(text: str) -> str | None:
    """The list number a line opens with (``1.``, ``(a)``, ``iv)``, ``（2）``, ``三、``), or None."""
    match = _ENUMERATOR.match(text) or _ASIAN_ENUMERATOR.match(text)
    return match.group(1) if match else None


def bare_number(text: str) -> int | None:
    """The number before the words of a line, without a sign that tells whether it counts items; or None."""
    match = _NUMBERED.match(text)
    return int(match.group(1)) if match else None


def is_asian_section(text: str) -> bool:
    """Whether a line opens with the number of a Chinese section, ``二、`` or ``（三）``."""
    return bool(_ASIAN_SECTION.match(text))


def has_tick_box(text: str) -> bool:
    """Whether a line opens with a box of a form that is or may be ticked."""
    return text.lstrip().startswith(("[ ] ", "[x] ", "( ) ", "(x) "))


def without_bullet(text: str) -> str:
    """The line without the bullet it opens with; list numbers stay, for they are content."""
    return _BULLET.sub("", text, count=1)


def numbering_depth(text: str) -> int | None:
    """How deep a heading's number is: 1 for ``2 Methods`` or ``IV.

    Results``, 2 for ``2.1 Data``; None without one.
    """
    section = _ASIAN_SECTION.match(text)
    if section:
        return 1 if section.group(1) else 2
    match = _NUMBERING.match(text)
    if not match:
        return None
    number, dot = match.groups()
    if not number[0].isdigit() and not dot:
        return None
    return number.count(".") + 1


def is_page_number(text: str) -> bool:
    """Whether a line is nothing but a page number: arabic, roman, ``Page 3 of 7``, ``- 12 -``, ``A-3``."""
    text = text.strip()
    return bool(text) and (bool(_PAGE_NUMBER.fullmatch(text)) or is_roman(text.strip("-–— .")))


def is_roman(text: str) -> bool:
    """Whether the text is a roman number written in one case."""
    return bool(text) and (text.islower() or text.isupper()) and bool(_ROMAN.fullmatch(text))


def equation_number(text: str) -> str | None:
    """The number of an equation, without its brackets, when the line is nothing else."""
    match = _EQUATION_NUMBER.fullmatch(text.strip())
    return match.group(1) if match else None
