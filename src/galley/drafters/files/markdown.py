"""Plain Markdown as a draft: one page whose blocks have no boxes."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.token import Token

from galley.document import Block, Document, Label, Page
from galley.drafters.files.common import NOWHERE

_FORMULA = re.compile(r"\s*(?:\$\$(?P<dollars>.*)\$\$|\\\[(?P<brackets>.*)\\\])\s*", re.DOTALL)
_TABLE = re.compile(r"\s*<table\b", re.IGNORECASE)
_TAG = re.compile(r"<[^>]+>")


def read_markdown(text: str) -> Document:
    """Headings, paragraphs, list items, code, tables and display formulas in order.

    Inline mark-up is kept as it is written, for a model that writes Markdown drafts best from Markdown; so are tables.
    """
    source = text.replace("\r\n", "\n").split("\n")
    blocks: list[Block] = []
    depth = 0
    skip_until = None
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for at, token in enumerate(tokens):
        if skip_until is not None:
            skip_until = None if token.type == skip_until else skip_until
            continue
        if token.type == "list_item_open":
            depth += 1
        elif token.type == "list_item_close":
            depth -= 1
        elif token.type == "table_open":
            blocks.append(_block(Label.TABLE, _source(source, token)))
            skip_until = "table_close"
        elif block := _leaf(tokens, at, depth, source):
            blocks.append(block)
    page = Page(number=1, width=0, height=0, blocks=[block for block in blocks if block.content.strip()])
    return Document(page_count=1, pages=[page])


def _leaf(tokens: list[Token], at: int, depth: int, source: list[str]) -> Block | None:
    token = tokens[at]
    if token.type in ("fence", "code_block"):
        return _block(Label.CODE, token.content.rstrip("\n"))
    if token.type == "html_block":
        is_table = bool(_TABLE.match(token.content))
        return (
            _block(Label.TABLE, token.content.strip())
            if is_table
            else _block(Label.TEXT, _TAG.sub("", token.content))
        )
    if token.type != "inline":
        return None
    opened = tokens[at - 1]
    if opened.type == "heading_open":
        level = int(opened.tag[1])
        return _block(Label.TITLE if level == 1 else Label.HEADING, token.content, level)
    formula = _FORMULA.fullmatch(token.content)
    if formula:
        return _block(Label.FORMULA, (formula["dollars"] or formula["brackets"] or "").strip())
    return _block(Label.LIST_ITEM, token.content, depth) if depth else _block(Label.TEXT, token.content)


def _block(label: Label, content: str, level: int | None = None) -> Block:
    return Block(label=label, bbox=NOWHERE, content=content.strip("\n"), level=level, source="file")


def _source(lines: list[str], token: Token) -> str:
    start, end = token.map or [0, 0]
    return "\n".join(lines[start:end])
