"""Documents as Markdown (GFM): tables with spans as HTML, formulas in ``$$``."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from urllib.parse import quote

from galley.document.markdown_escape import as_block, escape, escape_block
from galley.document.markdown_spans import markdown_text
from galley.document.model import Block, Document, Label, Page, Table
from galley.document.select import DEFAULT_KEEP, Shown, shown
from galley.document.spans import clipped
from galley.document.table_html import table_html


def to_markdown(document: Document, keep: Collection[str] = DEFAULT_KEEP) -> str:
    """The document as Markdown.

    Args:
        document: What to write.
        keep: Which of headers, footers, footnotes and page-numbers to show.
    """
    return "".join(markdown_pieces(document.pages, keep))


def markdown_pieces(pages: Iterable[Page], keep: Collection[str] = DEFAULT_KEEP) -> Iterator[str]:
    """The Markdown of pages piece by piece; ``to_markdown`` is all of them in a row."""
    previous: Block | None = None
    for item in shown(pages, keep):
        text = block_markdown(item, notes="footnotes" in keep)
        if not text:
            continue
        if previous is not None:
            yield "\n" if previous.label is item.block.label is Label.LIST_ITEM else "\n\n"
        yield text
        previous = item.block
    if previous is not None:
        yield "\n"


def block_markdown(item: Shown, *, notes: bool = True) -> str:
    """One block as Markdown without blank lines around it; empty where there is nothing to show.

    notes: whether footnotes are shown, so that marks in the text may refer to them.
    """
    block, content = item.block, item.content.strip("\n")
    if block.table is not None:
        return table_markdown(block.table)
    if block.label is Label.FIGURE:
        return _figure(block, content)
    if not content.strip():
        return ""
    if block.label in (Label.TITLE, Label.HEADING):
        return _heading(block, markdown_text(item.content, item.spans, notes=notes))
    if block.label is Label.LIST_ITEM:
        return _list_item(item, notes)
    if block.label is Label.CODE:
        return _fenced(content)
    if block.label is Label.FORMULA and "unverified" not in block.flags:
        return f"$$\n{tagged(block, content)}\n$$"
    if block.label is Label.TABLE:
        return content
    return _note(item) or as_block(markdown_text(item.content, item.spans, notes=notes))


def tagged(block: Block, latex: str) -> str:
    """A display formula with its number, where it has one."""
    number = block.extra.get("number")
    return f"{latex.strip()} \\tag{{{number}}}" if number and "\\tag" not in latex else latex.strip()


def table_markdown(table: Table) -> str:
    """A pipe table where the grid is flat, else HTML."""
    if table.has_spans or not table.rows or not table.cols:
        return table_html(table)
    grid = [[""] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.col] = _cell(cell.text)
    head, *body = ["| " + " | ".join(row) + " |" for row in grid]
    return "\n".join([head, "|" + " --- |" * table.cols, *body])


def _cell(text: str) -> str:
    lines = [escape(line.strip()) for line in text.split("\n") if line.strip()]
    return "<br>".join(lines).replace("|", "\\|")


def _heading(block: Block, markdown: str) -> str:
    level = 1 if block.label is Label.TITLE else min(6, max(1, block.level or 2))
    text = " ".join(markdown.split())
    # Closing hashes would be taken for the mark of a closed heading.
    return "#" * level + " " + (text[:-1] + "\\#" if text.endswith("#") else text)


def _list_item(item: Shown, notes: bool) -> str:
    block, text = item.block, item.content.lstrip("\n")
    spans = clipped(item.spans, len(item.content) - len(text), len(item.content))
    marker = str(block.extra.get("marker") or "")
    ordered = marker[:-1].isdigit() and marker[-1] in ".)" and text.startswith(marker)
    if ordered:
        # Chinese sets no space after the number, Markdown needs one.
        rest = text[len(marker) :].lstrip()
        spans = clipped(spans, len(text) - len(rest), len(text))
        markdown = f"{marker} {markdown_text(rest, spans, notes=notes)}"
    else:
        markdown = markdown_text(text, spans, notes=notes)
    lines = as_block(markdown, lists=ordered)
    indent = "    " * (max(1, block.level or 1) - 1)
    return indent + (lines if ordered else "- " + lines).replace("\n", "\n" + indent + "  ")


def _note(item: Shown) -> str | None:
    """A footnote that a mark in the text refers to; None for any other."""
    name, marker = item.block.extra.get("note"), str(item.block.extra.get("marker") or "")
    if item.block.label is not Label.FOOTNOTE or not name or not item.content.startswith(marker):
        return None
    text = item.content[len(marker) :]
    spans = clipped(item.spans, len(marker), len(item.content))
    return f"[^{name}]: {as_block(markdown_text(text, spans))}"


def _figure(block: Block, content: str) -> str:
    if not block.image:
        return escape_block(content)
    alt = escape(" ".join(content.split())).replace("[", "\\[")
    return f"![{alt}]({quote(block.image)})"


def _fenced(content: str) -> str:
    longest = max((len(run) for run in content.split() if set(run) == {"`"}), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{content}\n{fence}"
