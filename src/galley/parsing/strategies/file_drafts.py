"""What other tools read on a page, from their files: drafts for a model, or the page itself where there is none."""

from __future__ import annotations

from collections.abc import Iterator

from galley.document import BBox, Block, Label, Page, Table
from galley.document.table_html import table_html
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.strategies.drafts import draft_text
from galley.parsing.strategies.markdown_blocks import markdown_pieces, plain
from galley.parsing.text.hyphenation import Vocabulary, join_lines
from galley.targets.prompt import TextReader

_EMPTY = BBox(x0=0, y0=0, x1=0, y1=0)


class FileDrafts:
    """The blocks that files have for one page, with boxes in pixels of the page's image.

    Args:
        page: the page; ``page.drafts`` are the files' pages, in the files' own pixels.
        rotation: the turn, in degrees, that made the page upright; boxes of a page that was turned are not used.
    """

    def __init__(self, page: PageImage, rotation: int = 0) -> None:
        height, width = page.image.shape[:2]
        self.blocks = [
            block
            for drafted in page.drafts or ()
            for block in _scaled(drafted, width, height, keep=rotation == 0)
        ]

    def near(self, bbox: BBox) -> list[Block]:
        """Blocks that share some of a box; those without a box of their own are near everything."""
        return [block for block in self.blocks if block.bbox == _EMPTY or block.bbox.intersection(bbox) > 0]

    def ids(self, reader: TextReader, bbox: BBox | None = None) -> list[list[int]]:
        """Token ids of the blocks, or of those near a box, as the model would write them."""
        blocks = self.blocks if bbox is None else self.near(bbox)
        return [reader.encode(draft_text(block, reader.table_format)) for block in blocks if block.content]


class FileDraftParser:
    """The draft strategy for documents with draft files: a file's text, with its boxes, is the page.

    Pages that no file has, and documents without files, are read as ever.
    """

    def __init__(self, draft: DraftParser) -> None:
        self.draft = draft

    def parse_page(self, page: PageImage) -> Page:
        """The page of the first file that has it."""
        if not page.drafts:
            read = self.draft.parse_page(page)
            if page.drafts is not None:
                read.warnings.append("no draft file has this page; it was read as without one")
            return read
        height, width = page.image.shape[:2]
        whole = BBox(x0=0, y0=0, x1=width, y1=height)
        blocks = [
            block if block.bbox != _EMPTY else block.model_copy(update={"bbox": whole})
            for block in _scaled(page.drafts[0], width, height, keep=True)
        ]
        return Page(number=page.number, width=width, height=height, dpi=page.dpi, blocks=blocks)


def _scaled(drafted: Page, width: int, height: int, *, keep: bool) -> Iterator[Block]:
    """A file's blocks with boxes in pixels of an image; empty boxes where the file has none or not to ``keep``."""
    across = width / drafted.width if drafted.width and keep else 0.0
    down = height / drafted.height if drafted.height and keep else 0.0
    words = Vocabulary(line.text for block in drafted.blocks for line in block.lines)

    def scaled(bbox: BBox) -> BBox:
        return BBox(x0=bbox.x0 * across, y0=bbox.y0 * down, x1=bbox.x1 * across, y1=bbox.y1 * down)

    for block in drafted.blocks:
        lines = [line.model_copy(update={"bbox": scaled(line.bbox)}) for line in block.lines]
        moved = block.model_copy(update={"bbox": scaled(block.bbox), "lines": lines})
        yield _with_text(moved, words)


def _with_text(block: Block, words: Vocabulary) -> Block:
    """A block as Galley has it: lines joined to running text, tables as tables, no marks of Markdown."""
    if block.table is not None or block.label in (Label.FORMULA, Label.CODE, Label.FIGURE):
        return block
    if block.label is Label.TABLE:
        table = _table(block.content)
        return block.model_copy(update={"table": table, "content": table_html(table)}) if table else block
    text = join_lines([line.text for line in block.lines], words) if block.lines else plain(block.content)
    return block.model_copy(update={"content": text})


def _table(markup: str) -> Table | None:
    pieces = markdown_pieces(markup)
    return pieces[0].table if len(pieces) == 1 else None
