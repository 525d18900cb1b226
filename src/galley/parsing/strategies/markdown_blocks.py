"""Markdown as page models write it → blocks, each with its place in the text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from galley.document import Label, Table
from galley.parsing.strategies.table_markup import read_html_table, read_otsl_table
from galley.parsing.text.markers import bullet, enumerator, without_bullet

_FENCE = re.compile(r"(?P<fence>```|~~~)[^\n]*\n(?P<code>.*?)(?:\n(?P=fence)[ \t]*(?=\n|\Z)|\Z)", re.DOTALL)
_DISPLAY = re.compile(r"\$\$(?P<a>.+?)\$\$|\\\[(?P<b>.+?)\\\]", re.DOTALL)
_HTML_TABLE = re.compile(r"<table\b.*?(?:</table>|\Z)", re.DOTALL | re.IGNORECASE)
_OTSL_TABLE = re.compile(r"(?:<[efluxc]cel>|<[cr]hed>|<srow>).*?(?=\n\n|\Z)", re.DOTALL)
_PIPES = re.compile(r"\|[^\n]*\|[ \t]*\n\|?[ \t:|-]*-[ \t:|-]*(?:\n\|[^\n]*)*")
_HEADING = re.compile(r"(?P<marks>#{1,6})[ \t]+(?P<text>[^\n]*?)[ \t]*#*[ \t]*(?=\n|\Z)")
_IMAGE = re.compile(r"!\[(?P<alt>[^\]\n]*)\]\([^)\n]*\)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+[^\n]+")
_PARAGRAPH = re.compile(r"[^\n]+")
_BOLD = re.compile(r"\*\*(\S(?:[^*]*\S)?)\*\*")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~$])")
_TAG = re.compile(r"\\tag\*?\{(?P<number>[^{}]*)\}")


@dataclass
class Piece:
    """A block of Markdown: what it is and where it stands, ``text[start:end]``."""

    label: Label
    content: str
    start: int
    end: int
    level: int | None = None
    table: Table | None = None
    extra: dict[str, Any] = field(default_factory=dict)


def markdown_pieces(text: str) -> list[Piece]:
    """The blocks of a Markdown text in order. Nothing of the text but white space and markup is left out."""
    pieces: list[Piece] = []
    for piece in _scan(text):
        last = pieces[-1] if pieces else None
        next_line = last is not None and text.count("\n", last.end, piece.start) == 1
        if last and next_line and last.label is piece.label is Label.TEXT:
            last.content, last.end = f"{last.content}\n{piece.content}", piece.end
        else:
            pieces.append(piece)
    return pieces


def _scan(text: str) -> Iterator[Piece]:
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        piece = _piece(text, at)
        yield piece
        at = piece.end


def _piece(text: str, at: int) -> Piece:
    if match := _FENCE.match(text, at):
        return Piece(Label.CODE, match["code"], at, match.end())
    if match := _DISPLAY.match(text, at):
        latex, extra = formula(match["a"] or match["b"])
        return Piece(Label.FORMULA, latex, at, match.end(), extra=extra)
    for pattern, read in (
        (_HTML_TABLE, read_html_table),
        (_OTSL_TABLE, read_otsl_table),
        (_PIPES, read_pipe_table),
    ):
        if (match := pattern.match(text, at)) and (table := read(match.group())):
            return Piece(Label.TABLE, match.group(), at, match.end(), table=table)
    if match := _HEADING.match(text, at):
        return Piece(Label.HEADING, plain(match["text"]), at, match.end(), level=len(match["marks"]))
    if match := _IMAGE.match(text, at):
        return Piece(Label.FIGURE, plain(match["alt"]), at, match.end())
    if match := _ITEM.match(text, at):
        item = (
            match.group().strip().replace("+ ", "- ", 1)
            if match.group().lstrip()[0] == "+"
            else match.group()
        )
        extra = {"marker": bullet(item) or enumerator(item)}
        return Piece(Label.LIST_ITEM, plain(without_bullet(item.strip())), at, match.end(), extra=extra)
    return _paragraph(text, at)


def _paragraph(text: str, at: int) -> Piece:
    """A line of prose, up to a table or a displayed formula that begins in it."""
    match = _PARAGRAPH.match(text, at)
    assert match is not None
    end = match.end()
    for pattern in (_HTML_TABLE, _DISPLAY):
        inner = pattern.search(text, at + 1, end) or pattern.search(text, at + 1)
        if inner and inner.start() < end:
            end = inner.start()
    return Piece(Label.TEXT, plain(text[at:end]), at, end)


def plain(text: str) -> str:
    """Text without bold marks, backslash escapes and character references."""
    return html.unescape(_ESCAPED.sub(r"\1", _BOLD.sub(r"\1", text))).strip()


def formula(latex: str) -> tuple[str, dict[str, Any]]:
    r"""LaTeX without delimiters, its ``\tag`` as the block's equation number."""
    latex = latex.strip()
    for opening, closing in (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$")):
        if (
            latex.startswith(opening)
            and latex.endswith(closing)
            and len(latex) >= len(opening) + len(closing)
        ):
            latex = latex[len(opening) : len(latex) - len(closing)].strip()
            break
    tag = _TAG.search(latex)
    if tag is None:
        return latex, {}
    return (latex[: tag.start()] + latex[tag.end() :]).strip(), {"number": tag["number"].strip("() ")}


def read_pipe_table(markup: str) -> Table | None:
    """A GFM table; its first row is its header."""
    lines = [line for line in markup.strip().split("\n") if line.strip()]
    rows = [_pipe_cells(line) for i, line in enumerate(lines) if i != 1]
    tags = ["th"] + ["td"] * (len(rows) - 1)
    body = "".join(
        "<tr>" + "".join(f"<{tag}>{html.escape(plain(cell))}</{tag}>" for cell in row) + "</tr>"
        for tag, row in zip(tags, rows, strict=True)
    )
    return read_html_table(f"<table>{body}</table>")


def _pipe_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", inner)]
