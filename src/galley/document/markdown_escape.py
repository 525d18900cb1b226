"""Plain text to Markdown that renders as that text, with no more backslashes than it needs (CommonMark 0.31, GFM)."""

from __future__ import annotations

import re
from collections.abc import Callable

# A backslash only escapes ASCII punctuation and line ends, so only there it needs one itself.
_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~]|$)", re.MULTILINE)
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_LINK = re.compile(r"\](?=[(\[:])")
_FLANKING = re.compile(r"\*+|_+")
_STRIKE = re.compile(r"~~?(?=\S)")
_LINE_START = re.compile(r"^(\s*)(#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|={1,}\s*$|-{1,}\s*$|~{3,})")
_ORDERED = re.compile(r"^(\s*\d{1,9})([.)])(?=\s|$)", re.MULTILINE)
_RULE = re.compile(r"^\s*([-*_])(?:\s*\1){2,}\s*$")
_DELIMITER_ROW = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")


_MARK = r"[*`~]|(?<![^\W_])_|_(?![^\W_])"
_ANY_MARK = re.compile(_MARK + r"|\[(?=\^)|\](?=[(\[:]|$)")
_ANY_MARK_OR_BRACKET = re.compile(_MARK + r"|[\[\]]")
_MATH = re.compile(r"(?<![\\$])\$(?=[^\s$])[^$\n]*?[^\s\\$]\$(?![\d$])")
"""Inline mathematics, by pandoc's rule: no space inside the dollars, no figure behind them."""
_KEPT = re.compile("\ue000(\\d+)\ue001")


def escape(text: str) -> str:
    """Text for the inside of a line; inline mathematics in it stays as it is."""
    return _around_formulas(text, _escape)


def escape_between_marks(text: str, *, brackets: bool = False) -> str:
    """Part of a line that has marks of its own, which nothing in the text may pair with.

    Args:
        text: Plain text.
        brackets: Whether it is that of a link, where brackets are escaped too.
    """
    return _around_formulas(text, _escape_brackets if brackets else _escape_marks)


def _around_formulas(text: str, escaped: Callable[[str], str]) -> str:
    formulas = _MATH.findall(text)
    if not formulas:
        return escaped(text)
    numbers = iter(range(len(formulas)))
    text = escaped(_MATH.sub(lambda match: f"\ue000{next(numbers)}\ue001", text))
    return _KEPT.sub(lambda match: formulas[int(match[1])], text)


def _escape_marks(text: str) -> str:
    text = _ENTITY.sub(r"\\&", _TAG.sub(r"\\<", _BACKSLASH.sub(r"\\\\", text)))
    return _ANY_MARK.sub(r"\\\g<0>", text)


def _escape_brackets(text: str) -> str:
    text = _ENTITY.sub(r"\\&", _TAG.sub(r"\\<", _BACKSLASH.sub(r"\\\\", text)))
    return _ANY_MARK_OR_BRACKET.sub(r"\\\g<0>", text)


def _escape(text: str) -> str:
    text = _BACKSLASH.sub(r"\\\\", text)
    text = _TAG.sub(r"\\<", text)
    text = _ENTITY.sub(r"\\&", text)
    text = _LINK.sub(r"\\]", text)
    if text.count("`") > 1:
        text = text.replace("`", "\\`")
    if text.count("~") > 1:
        text = _STRIKE.sub(lambda match: match.group().replace("~", "\\~"), text)
    return _escape_emphasis(text)


def escape_line_start(line: str) -> str:
    """A line, already escaped inside, kept from reading as a heading, quote, list, rule or code."""
    line = line.lstrip()
    if _RULE.match(line) or _DELIMITER_ROW.match(line):
        return "\\" + line
    match = _LINE_START.match(line)
    if match:
        return f"\\{line}"
    return _ORDERED.sub(r"\1\\\2", line)


def escape_block(text: str, *, lists: bool = False) -> str:
    """A paragraph of one or more lines; line breaks in it are kept as hard breaks.

    Args:
        text: The plain text.
        lists: Leave a number that opens the first line as it is, for the text is a list item.
    """
    # Escaped as a whole, for marks may pair over line breaks.
    text = "\n".join(line.strip() for line in text.split("\n") if line.strip())
    return as_block(escape(text), lists=lists)


def as_block(markdown: str, *, lists: bool = False) -> str:
    """Lines that are Markdown inside as a paragraph; ``lists`` as for ``escape_block``."""
    lines = [line.strip() for line in markdown.split("\n") if line.strip()]
    if lists and lines:
        return "  \n".join([lines[0], *map(escape_line_start, lines[1:])])
    return "  \n".join(map(escape_line_start, lines))


def _escape_emphasis(text: str) -> str:
    """Escape runs of ``*`` and ``_`` that can open emphasis, when another run could close it."""
    runs = list(_FLANKING.finditer(text))
    opens = {char: any(_opens(text, run) for run in runs if run.group()[0] == char) for char in "*_"}
    closes = {char: any(_closes(text, run) for run in runs if run.group()[0] == char) for char in "*_"}

    def replaced(run: re.Match[str]) -> str:
        char = run.group()[0]
        pairs = opens[char] and closes[char] and (_opens(text, run) or _closes(text, run))
        return "".join("\\" + mark for mark in run.group()) if pairs else run.group()

    return _FLANKING.sub(replaced, text)


def _opens(text: str, run: re.Match[str]) -> bool:
    after, before = text[run.end() : run.end() + 1], text[: run.start()][-1:]
    return bool(after.strip()) and not (run.group()[0] == "_" and before.isalnum())


def _closes(text: str, run: re.Match[str]) -> bool:
    after, before = text[run.end() : run.end() + 1], text[: run.start()][-1:]
    return bool(before.strip()) and not (run.group()[0] == "_" and after.isalnum())
