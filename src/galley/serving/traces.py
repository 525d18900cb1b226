"""Which committed tokens are the text of which block of a page."""

from __future__ import annotations

from collections.abc import Sequence

from galley.decoding import Committed, Finish, Result
from galley.document import Page
from galley.parsing.strategies.drafts import UNREAD
from galley.parsing.strategies.evidence import TokenPlaces
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.markdown_blocks import markdown_pieces
from galley.parsing.strategies.page import PageParser as WholePageParser
from galley.reading import PageParser
from galley.targets.prompt import TextReader

Traces = dict[int, list[Committed]]


def block_traces(
    parser: PageParser, page: Page, runs: Sequence[Sequence[Result]], reader: TextReader
) -> Traces:
    """Traces by block of a page that a strategy has parsed. Blocks no model has read have none.

    runs: the results of the strategy's runs of its decoder, in order.
    """
    if isinstance(parser, WholePageParser):
        return _of_page(page, runs[0][0], reader)
    if not isinstance(parser, HierarchicalParser):
        return _of_regions(page, runs[0], reader)
    whole, *regions = runs[0] if len(runs) == 1 else [runs[1][0], *runs[0]]
    return _of_page(page, whole, reader) or _of_regions(page, regions, reader)


def _of_regions(page: Page, results: Sequence[Result], reader: TextReader) -> Traces:
    asked = [index for index, block in enumerate(page.blocks) if block.label not in UNREAD]
    return {
        index: result.trace
        for index, result in zip(asked, results, strict=True)
        if page.blocks[index].source == reader.name
    }


def _of_page(page: Page, result: Result, reader: TextReader) -> Traces:
    text = reader.decode(result.ids)
    if result.finish is not Finish.STOP or not text.strip():
        return {}
    places = TokenPlaces(reader, result.ids, text)
    read = [index for index, block in enumerate(page.blocks) if block.source == reader.name]
    return {
        index: result.trace[places.within(piece.start, piece.end)]
        for index, piece in zip(read, markdown_pieces(text), strict=True)
    }
