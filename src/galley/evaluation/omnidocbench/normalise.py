"""What OmniDocBench compares: text without marks, formulas without style, tables without presentation.

The rules are those of the benchmark's v1.5 scorer, odd corners included, so that figures agree with published
ones.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

from bs4 import BeautifulSoup
from pylatexenc.latex2text import LatexNodes2Text

_INLINE = re.compile(r"\$(.*?)\$|\\\((.*?)\\\)")
_ESCAPED = re.compile(r"\\([\\_&%^])")
_ESCAPED_SPACE = ("\\t", "\\n", "\t", "\n", "/t", "/n")
_NOT_WORD = re.compile(r"[^\w\u4e00-\u9fff]")

_BRACKETED = re.compile(r"\\\[(.+?)(?<!\\)\\\]")
_FORMULA_LAYOUT = re.compile(r"\\(?:tag|hspace|begin|end)\{.*?\}|\\arraycolsep.*?\}")
_FORMULA_STYLE = (
    *(f"\\math{name}" for name in ("bf", "rm", "normal", "it", "bb", "cal", "scr", "frak", "sf", "tt")),
    *("\\textbf", "\\text", "\\boldmath", "\\boldsymbol", "\\operatorname", "\\bm", "\\symbfit", "\\symbf"),
    *("\\scriptscriptstyle", "\\notag", "\\setlength", "\\coloneqq"),
    *(f"\\{name}space" for name in ("", "thick", "thin", "med", "nobreak", "negmed")),
    *("\\quad", "\\qquad", "\\enspace", " ", "$$", "\\left", "\\right", "\\displaystyle"),
)

_TABLE = re.compile(r"<table\b[^>]*>(.*)</table>", re.S | re.I)
_TABLE_STYLE = re.compile(r' (?:style|height|width|align|class)=".*?"')
_CELL_MARKUP = re.compile(r"</?(?:sup|sub|span|div|p)>|<colgroup>.*?</colgroup>")


def clean(text: str) -> str:
    """Only letters, digits, underscores and CJK characters."""
    for mark in _ESCAPED_SPACE:
        text = text.replace(mark, "")
    return _NOT_WORD.sub("", text)


def text(source: str) -> str:
    """A text block as it is compared: inline formulas as Unicode, then ``clean``."""
    return clean(_INLINE.sub(_inline_to_unicode, source))


def _inline_to_unicode(match: re.Match[str]) -> str:
    content = _ESCAPED.sub("", match.group(1) if match.group(1) is not None else match.group(2))
    if not any(mark in content for mark in "\\^_"):
        return match.group(0)
    try:
        return latex_to_unicode(content + " " if content.endswith("\\") else content).strip()
    except Exception:  # pylatexenc raises several kinds on broken LaTeX; the source then stays as it is
        return match.group(0)


@lru_cache(maxsize=4096)
def latex_to_unicode(latex: str) -> str:
    """LaTeX as plain Unicode text."""
    converted: str = LatexNodes2Text().latex_to_text(latex)
    return converted


def formula(latex: str) -> str:
    """A formula as it is compared: no delimiters, tags, environments, fonts or spaces, in lower case."""
    latex = latex.strip().strip("$").strip("\n")
    bracketed = _BRACKETED.search(latex)
    if bracketed:
        latex = bracketed.group(1).strip()
    latex = _FORMULA_LAYOUT.sub("", latex).strip(".")
    for style in _FORMULA_STYLE:
        latex = latex.replace(style, "")
    return latex.lower()


def table(source: str) -> str:
    """A table's HTML as it is compared; empty when there is no ``<table``."""
    if "<table" not in source.replace(" ", ""):
        return ""
    soup = BeautifulSoup(source, "html.parser")
    for header in soup.find_all("th"):
        header.name = "td"
    for wrapper in soup.find_all(["thead", "span"]):
        wrapper.unwrap()
    for math in soup.find_all("math"):
        math.replace_with(f"${math.get('alttext', '')}$")
    flat = unicodedata.normalize("NFKC", html.unescape(str(soup)).replace("\n", "")).strip()
    body = _TABLE_STYLE.sub("", "".join(_TABLE.findall(flat)))
    body = re.sub(r"\s+", " ", re.sub(r"</?tbody>", "", body))
    return _CELL_MARKUP.sub("", f'<html><body><table border="1" >{body}</table></body></html>')
