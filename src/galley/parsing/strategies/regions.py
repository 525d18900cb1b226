"""The ``regions`` strategy.

Every drafted block's crop is read by the model, all of a page in one batch (GLM-OCR's and GravityOCR's way; HSD's
stage 1), with what the drafter read as a free draft.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from galley.decoding import Finish, Request, Result
from galley.document import Block, Label, Page
from galley.document.table_html import table_html
from galley.errors import one_line
from galley.geometry import crop as cut
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.strategies.carry_spans import carried_spans
from galley.parsing.strategies.decoders import make_acceptance, make_decoder
from galley.parsing.strategies.drafts import UNREAD, draft_text, task_of
from galley.parsing.strategies.evidence import weigh
from galley.parsing.strategies.file_drafts import FileDrafts
from galley.parsing.strategies.markdown_blocks import formula, plain
from galley.parsing.strategies.page_reading import PageReading, Traces, read_with_model
from galley.parsing.strategies.table_markup import read_html_table, read_otsl_table
from galley.parsing.strategies.work import work_of
from galley.parsing.text.markers import without_bullet
from galley.targets.prompt import AnyReader, Runner, TableFormat, TextReader

PADDING = 5
"""Pixels around a crop (HSD)."""


@dataclass(frozen=True, eq=False)
class RegionTask:
    """A block to read: its place among the page's blocks, its draft's token ids and the request for it."""

    index: int
    draft: list[int]
    request: Request


class RegionsParser:
    """Reads pages block by block. Blocks that fail or loop keep their draft and say so."""

    def __init__(self, options: ParseOptions, reader: AnyReader, draft: DraftParser) -> None:
        self.reader, self.draft = reader, draft
        self.requests = RegionRequests(reader, options)
        self.decoder = make_decoder(reader, options)

    def parse_page(self, page: PageImage) -> Page:
        """One page's blocks in reading order."""
        return self.read_page(page).page

    def read_page(self, page: PageImage, runner: Runner | None = None) -> PageReading:
        """Parse a page, with traces and results.

        Args:
            page: Its image and what the file says of it.
            runner: Decodes in place of ``decoder``.
        """
        return read_with_model(self.draft, page, self.verify_regions, runner or self.decoder)

    def verify_regions(self, page: PageState, more: FileDrafts, runner: Runner) -> PageReading:
        """Read the crop of each block with the model, with what was drafted as its draft.

        Reads: image, blocks, warnings, failures.
        Changes: blocks, failures, work.
        """
        drafted = page.as_page()
        tasks = self.requests.of_page(drafted, page.image, more)
        results = runner.run([task.request for task in tasks])
        read = with_answers(drafted, tasks, results, self.reader)
        read.work = work_of(self.reader.name, results, runner)
        return PageReading(read, region_traces(read, tasks, results, self.reader), results)


class RegionRequests:
    """Makes the requests for a page's blocks."""

    def __init__(self, reader: TextReader, options: ParseOptions) -> None:
        self._reader, self._options = reader, options

    def of_page(
        self, page: Page, image: NDArray[np.uint8], more: FileDrafts | None = None
    ) -> list[RegionTask]:
        """A request for each block the model reads.

        Args:
            page: the page as drafted.
            image: the upright page, (height, width, 3).
            more: drafts besides, of files.
        """
        return [
            self._task(index, block, page, image, more)
            for index, block in enumerate(page.blocks)
            if block.label not in UNREAD
        ]

    def _task(
        self, index: int, block: Block, page: Page, image: NDArray[np.uint8], more: FileDrafts | None
    ) -> RegionTask:
        crop = cut(image, block.bbox.padded(PADDING, page.width, page.height))
        draft = self._reader.encode(draft_text(block, self._reader.table_format))
        request = Request(
            self._reader.prompt(crop, task_of(block)),
            drafts=[draft, *(more.ids(self._reader, block.bbox) if more else ())],
            max_tokens=self._options.max_tokens,
            acceptance=make_acceptance(self._options),
        )
        return RegionTask(index, draft, request)


def with_answers(
    page: Page, tasks: Sequence[RegionTask], results: Sequence[Result], reader: TextReader
) -> Page:
    """The drafted page with what the model read in its blocks."""
    read = page.model_copy(deep=True)
    for task, result in zip(tasks, results, strict=True):
        read.blocks[task.index] = answered(read.blocks[task.index], result, reader)
    errors = [one_line(result.error) for result in results if result.error is not None]
    if errors:
        count, reasons = f"{len(errors)} of {len(results)} blocks", "; ".join(dict.fromkeys(errors))
        read.failures.append(f"{reader.name} could not read {count}, drafts are kept: {reasons}")
    return read


def region_traces(
    page: Page, tasks: Sequence[RegionTask], results: Sequence[Result], reader: TextReader
) -> Traces:
    """Traces of the blocks of ``with_answers`` that the model stands for."""
    return {
        task.index: result.trace
        for task, result in zip(tasks, results, strict=True)
        if page.blocks[task.index].source == reader.name
    }


def answered(block: Block, result: Result, reader: TextReader) -> Block:
    """The block as the model read it; its draft, flagged, where reading failed."""
    if result.finish is not Finish.STOP:
        return _kept(block, result, reader)
    evidence = weigh(result.trace)
    text = reader.decode(result.ids).strip()
    if not text and block.content.strip():
        return _flagged(block, "unsupported", "draft-kept")
    read = _with_text(block, text, reader.table_format)
    if read is None:
        return _flagged(block, "failed", "draft-kept")
    read.source, read.confidence = reader.name, evidence.confidence
    read.flags = [*evidence.flags]
    return read


def _kept(block: Block, result: Result, reader: TextReader) -> Block:
    """The draft of a region that looped or failed.

    With no draft, what had been written before it went wrong.
    """
    why = "loop" if result.finish is Finish.LOOP else "failed"
    if block.content.strip() or block.table is not None:
        return _flagged(block, why, "draft-kept")
    ids = result.ids[: result.loop.start + result.loop.period] if result.loop else result.ids
    written = _with_text(block, reader.decode(ids).strip(), reader.table_format)
    if written is None or not ids:
        return _flagged(block, why)
    written.source = reader.name
    return _flagged(written, why)


def _flagged(block: Block, *flags: str) -> Block:
    marked = block.model_copy(deep=True)
    marked.flags = list(dict.fromkeys([*block.flags, *flags]))
    return marked


def _with_text(block: Block, text: str, tables: TableFormat) -> Block | None:
    """The block with ``text`` for its content; None where a table was asked for and none came."""
    read = block.model_copy(deep=True)
    if block.label is Label.TABLE:
        table = read_otsl_table(text) if tables is TableFormat.OTSL else None
        table = table or read_html_table(text)
        if table is None:
            return None
        read.table, read.content = table, table_html(table)
    elif block.label is Label.FORMULA:
        read.content, extra = formula(text)
        read.extra = block.extra | extra
    else:
        words = plain(text).lstrip("#").strip() if block.label in (Label.TITLE, Label.HEADING) else text
        read.content = without_bullet(words) if block.label is Label.LIST_ITEM else words
        read.spans = carried_spans(block.spans, block.content, read.content)
    return read
