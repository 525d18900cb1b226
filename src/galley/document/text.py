"""Documents as plain text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from galley.document.model import Document, Label, Page, Table
from galley.document.select import DEFAULT_KEEP, Shown, shown


def to_text(document: Document, keep: Collection[str] = DEFAULT_KEEP) -> str:
    """Blocks parted by blank lines; table cells by tabs; a page of a PDF is not marked."""
    return "".join(text_pieces(document.pages, keep))


def text_pieces(pages: Iterable[Page], keep: Collection[str] = DEFAULT_KEEP) -> Iterator[str]:
    """The text of pages piece by piece; ``to_text`` is all of them in a row."""
    begun = False
    for text in map(_text, shown(pages, keep)):
        if text:
            yield "\n\n" + text if begun else text
            begun = True
    if begun:
        yield "\n"


def _text(item: Shown) -> str:
    if item.block.table is not None:
        return table_text(item.block.table)
    if item.block.label is Label.LIST_ITEM and not item.content.startswith(
        str(item.block.extra.get("marker"))
    ):
        return "- " + item.content.strip()
    return item.content.strip("\n")


def table_text(table: Table) -> str:
    """Rows as lines, cells parted by tabs; a spanning cell's text stands in its first place."""
    grid = [[""] * table.cols for _ in range(table.rows)]
    for cell in table.cells:
        grid[cell.row][cell.col] = " ".join(cell.text.split())
    return "\n".join("\t".join(row).rstrip("\t") for row in grid)
