"""Plain text to Markdown that renders as that text, with no more backslashes than it needs (CommonMark 0.31, GFM)."""

from __future__ import annotations

import re

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


_MATH = re.compile(r"(?<![\\$])\$(?=[^\s$])[^$\n]*?[^\s\\$]\$(?![\d$])")
"""Inline mathematics, by pandoc's rule: no space inside the dollars, no figure behind them."""
_KEPT = re.compile("\ue000(\\d+)\ue001")


def escape(text: str) -> str:
    """Text for the inside of a line; inline mathematics in it stays as it is."""
    formulas = _MATH.findall(text)
    if not formulas:
        return _escape(text)
    numbers = iter(range(len(formulas)))
    text = _escape(_MATH.sub(lambda match: f"\ue000{next(numbers)}\ue001", text))
    return _KEPT.sub(lambda match: formulas[int(match[1])], text)


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
    lines = escape("\n".join(line.strip() for line in text.split("\n") if line.strip())).split("\n")
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
