"""The ``hierarchical`` strategy (HSD, section 3: its two stages).

Regions are verified first, then the whole page with all that was read in them as an unordered pool of drafts, so that
the model decides on the reading order.

The paper's two stages follow one another. With ``ParseOptions.overlap`` they run in one batch and the page matches
what the regions are still writing, as the public HSD code does; that a region which looped or failed withdraws what
it wrote, and offers its draft again, is Galley's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from galley.decoding import DraftPool, Finish, Result
from galley.document import Page
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.strategies.decoders import make_decoder, make_page_drafter_config
from galley.parsing.strategies.drafts import draft_text
from galley.parsing.strategies.file_drafts import FileDrafts
from galley.parsing.strategies.page_reading import PageReading, read_with_model
from galley.parsing.strategies.regions import RegionRequests, RegionTask, region_traces, with_answers
from galley.parsing.strategies.whole_page import can_read_pages, page_of, page_request
from galley.parsing.strategies.work import work_of
from galley.targets.prompt import AnyReader, Runner, text_key


class HierarchicalParser:
    """Reads regions as the options say, then the page, which matches what they wrote whatever else drafts for it.

    With ``overlap`` both run in one batch and the page follows what regions write.
    """

    def __init__(self, options: ParseOptions, reader: AnyReader, draft: DraftParser) -> None:
        self.options, self.reader, self.draft = options, reader, draft
        can_read_pages(reader)
        self.requests = RegionRequests(reader, options)
        self.decoder = make_decoder(reader, options)
        self._page_drafter = make_page_drafter_config(reader, options)

    def parse_page(self, page: PageImage) -> Page:
        """One page's blocks in the model's reading order."""
        return self.read_page(page).page

    def read_page(self, page: PageImage, runner: Runner | None = None) -> PageReading:
        """Parse a page, with traces and results.

        Args:
            page: Its image and what the file says of it.
            runner: Decodes in place of ``decoder``.
        """
        return read_with_model(self.draft, page, self.verify_regions_and_page, runner or self.decoder)

    def verify_regions_and_page(self, page: PageState, more: FileDrafts, runner: Runner) -> PageReading:
        """Read blocks and the whole page with the model, which drafts the page of what it reads in the blocks.

        Reads: image, blocks, warnings, failures.
        Changes: blocks, warnings, failures, work.
        """
        drafted = page.as_page()
        tasks = self.requests.of_page(drafted, page.image, more)
        pool = self._pool(drafted, tasks)
        for ids in more.ids(self.reader):
            pool.add(ids)
        request = page_request(page.image, pool, self.reader, self.options, self._page_drafter)
        requests = [task.request for task in tasks]
        if self.options.overlap:
            for task in tasks:
                task.request.on_commit = partial(pool.extend, task.index)
                task.request.on_finish = partial(_settle, pool, task)
            whole, *regions = runner.run([request, *requests])
        else:
            regions = runner.run(requests)
            for task, result in zip(tasks, regions, strict=True):
                pool.extend(task.index, result.ids)
                _settle(pool, task, result)
            [whole] = runner.run([request])
        answered = with_answers(drafted, tasks, regions, self.reader)
        read, traces = page_of(whole, answered, self.reader)
        if traces is None:  # what the regions gave is kept
            traces = region_traces(read, tasks, regions, self.reader)
        results = [whole, *regions]
        read.work = work_of(self.reader.name, results, runner)
        return PageReading(read, traces, results)

    def _pool(self, drafted: Page, tasks: Sequence[RegionTask]) -> DraftPool:
        """One draft per block in the page's order; those of blocks that are being read are still empty."""
        pool = DraftPool(key=text_key(self.reader))
        asked = {task.index for task in tasks}
        for index, block in enumerate(drafted.blocks):
            text = "" if index in asked else draft_text(block, self.reader.table_format)
            pool.add(self.reader.encode(text))
        return pool


def _settle(pool: DraftPool, task: RegionTask, result: Result) -> None:
    """A region's draft in place of what it wrote, where it looped or failed."""
    if result.finish is not Finish.STOP:
        pool.replace(task.index, task.draft)
