"""The ``page`` strategy: the model reads the whole page at once, with every drafted block as a free draft."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from galley.decoding import DrafterConfig, DraftPool, Finish, Request, Result
from galley.document import BBox, Block, Label, Page
from galley.document.table_html import table_html
from galley.errors import one_line
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.strategies.decoders import make_acceptance, make_decoder
from galley.parsing.strategies.drafts import UNREAD, draft_text
from galley.parsing.strategies.evidence import Evidence, TokenPlaces, weigh
from galley.parsing.strategies.file_drafts import FileDrafts
from galley.parsing.strategies.markdown_blocks import Piece, markdown_pieces
from galley.parsing.strategies.page_reading import PageReading, Traces, read_with_model, traces_by_place
from galley.parsing.strategies.work import work_of
from galley.targets.prompt import AnyReader, Runner, Task, TextReader, text_key

_GIVES = 3
"""Tokens a draft must have given for its box to count beside that of the draft that gave most."""


class PageParser:
    """Reads pages as a whole. A page that fails or loops keeps its draft and says so."""

    def __init__(self, options: ParseOptions, reader: AnyReader, draft: DraftParser) -> None:
        self.options, self.reader, self.draft = options, reader, draft
        can_read_pages(reader)
        self.decoder = make_decoder(reader, options)

    def parse_page(self, page: PageImage) -> Page:
        """One page's blocks in the model's reading order."""
        return self.read_page(page).page

    def read_page(self, page: PageImage, runner: Runner | None = None) -> PageReading:
        """Parse a page, with traces and results.

        Args:
            page: Its image and what the file says of it.
            runner: Decodes in place of ``decoder``.
        """
        return read_with_model(self.draft, page, self.verify_page, runner or self.decoder)

    def verify_page(self, page: PageState, more: FileDrafts, runner: Runner) -> PageReading:
        """Read the whole page with the model, with every block as a draft.

        Reads: image, blocks, warnings, failures.
        Changes: blocks, warnings, failures, work.
        """
        drafted = page.as_page()
        drafts = [self.reader.encode(draft_text(b, self.reader.table_format)) for b in drafted.blocks]
        drafts += more.ids(self.reader)
        pool = DraftPool(drafts, text_key(self.reader))
        results = runner.run([page_request(page.image, pool, self.reader, self.options)])
        read, traces = page_of(results[0], drafted, self.reader)
        read.work = work_of(self.reader.name, results, runner)
        return PageReading(read, traces or {}, results)


def can_read_pages(reader: TextReader) -> None:
    """``ModelError`` for a model that reads regions only."""
    reader.prompt(np.zeros((1, 1, 3), dtype=np.uint8), Task.PAGE)


def page_request(
    image: NDArray[np.uint8],
    pool: DraftPool,
    reader: TextReader,
    options: ParseOptions,
    drafter: DrafterConfig | None = None,
) -> Request:
    """The request for a whole page.

    Args:
        image: Upright, (height, width, 3).
        pool: Its drafts.
        reader: The model.
        options: How to parse.
        drafter: The decoder's when None.
    """
    return Request(
        reader.prompt(image, Task.PAGE),
        drafts=pool,
        max_tokens=options.max_page_tokens,
        acceptance=make_acceptance(options),
        drafter=drafter,
    )


def page_of(result: Result, fallback: Page, reader: TextReader) -> tuple[Page, Traces | None]:
    """The page as the model wrote it, and traces of its blocks.

    ``fallback``, whose blocks are the pool's first drafts in order, gives boxes.

    Where the model failed, looped or wrote nothing, the fallback itself with a warning, its blocks flagged that no
    model has read, and no traces.
    """
    text = reader.decode(result.ids)
    if result.finish is not Finish.STOP or (not text.strip() and fallback.blocks):
        return _kept(result, fallback, reader), None
    page = fallback.model_copy(deep=True)
    places = TokenPlaces(reader, result.ids, text)
    traced = []
    for piece in markdown_pieces(text):
        trace = result.trace[places.within(piece.start, piece.end)]
        traced.append((_block(piece, weigh(trace), fallback, reader), trace))
    page.blocks = _with_what_only_drafts_show([block for block, _ in traced], fallback)
    return page, traces_by_place(page, traced)


def _kept(result: Result, fallback: Page, reader: TextReader) -> Page:
    """What was read before the model failed, with a word of why."""
    page = fallback.model_copy(deep=True)
    why = {Finish.LOOP: "ran into a loop", Finish.STOP: "wrote nothing"}.get(result.finish, "did not finish")
    kept = "what was read before is kept"
    if result.error:
        page.failures.append(f"{reader.name} {why} ({one_line(result.error)}); {kept}")
    else:
        page.warnings.append(f"{reader.name} {why} on page {page.number}; {kept}")
    flags = ["loop" if result.finish is Finish.LOOP else "failed", "draft-kept"]
    for block in page.blocks:
        if block.source != reader.name:
            block.flags = list(dict.fromkeys([*block.flags, *flags]))
    return page


def _block(piece: Piece, evidence: Evidence, fallback: Page, reader: TextReader) -> Block:
    return Block(
        label=piece.label,
        bbox=_bbox(evidence, fallback),
        content=table_html(piece.table) if piece.table else piece.content,
        table=piece.table,
        level=piece.level,
        confidence=evidence.confidence,
        source=reader.name,
        flags=evidence.flags,
        extra=piece.extra,
    )


def _bbox(evidence: Evidence, fallback: Page) -> BBox:
    """Where the drafts of a block's text stand; the whole page for a text no draft holds."""
    enough = max(_GIVES, 0.1 * sum(evidence.drafts.values()))
    known = {draft: given for draft, given in evidence.drafts.items() if draft < len(fallback.blocks)}
    boxes = [
        fallback.blocks[draft].bbox
        for rank, (draft, given) in enumerate(known.items())
        if rank == 0 or given >= enough
    ]
    return BBox.around(boxes) if boxes else BBox(x0=0, y0=0, x1=fallback.width, y1=fallback.height)


def _with_what_only_drafts_show(blocks: list[Block], fallback: Page) -> list[Block]:
    """Figures and page furniture, which page models leave out, put back by their height on the page.

    A figure the model mentions takes the next drafted figure's place and image.
    """
    waiting = [block for block in fallback.blocks if block.label in UNREAD]
    figures = (block for block in list(waiting) if block.label is Label.FIGURE)
    for block in blocks:
        if block.label is Label.FIGURE and (drafted := next(figures, None)):
            waiting.remove(drafted)
            block.bbox, block.image = drafted.bbox, drafted.image
            block.content = block.content or drafted.content
    for kept in waiting:
        below = (
            i
            for i, other in enumerate(blocks)
            if _is_placed(other, fallback) and other.bbox.y0 >= kept.bbox.y1
        )
        blocks.insert(next(below, len(blocks)), kept.model_copy(deep=True))
    return blocks


def _is_placed(block: Block, page: Page) -> bool:
    """Whether a block has a place of its own, not the whole page for want of one."""
    return block.bbox.height < page.height or block.bbox.width < page.width
