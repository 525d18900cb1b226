"""The model that ships with Galley, in a worker process: light enough for every one of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from galley.decoding import Decoder, Result
from galley.document import Block, Page
from galley.drafters.line import TextLine
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.embedded import EmbeddedParser, embedded_target
from galley.reading import PageParser
from galley.serving.models import Parsed
from galley.serving.recording import Recorded, counts_of
from galley.serving.regions import asked, page_text, region_image, region_page, region_text
from galley.serving.tasks import ReadRegion, RegionRead
from galley.serving.traces import Traces
from galley.targets.nano.target import NanoTarget
from galley.targets.prompt import Task


class EmbeddedModel:
    """Loads the model at its first use; its parsers share it. model: the folder of another one like it."""

    def __init__(self, model: str | None = None) -> None:
        self._model = model

    @cached_property
    def target(self) -> NanoTarget:
        return embedded_target(self._model)

    def parser(self, options: ParseOptions, draft: DraftParser) -> EmbeddedParser:
        """A parser on top of a draft parser of its own."""
        return _Noting(options, draft, self.target)

    def parse(self, parser: PageParser, image: PageImage) -> Parsed:
        """Parse a page with a parser of this model."""
        assert isinstance(parser, _Noting)
        decoder = parser.decoder
        runs = parser.decoder = Recorded(decoder)
        try:
            page = parser.parse_page(image)
        finally:
            parser.decoder = decoder
        costs = decoder.costs if isinstance(decoder, Decoder) else None
        return Parsed(page, parser.traces(page), counts_of(runs.results, costs))

    def read_region(self, draft: DraftParser, task: ReadRegion) -> RegionRead:
        """Read one image for a prompt: text and pages verified, tables and formulas as drafted."""
        image, wanted = region_image(task), asked(task.prompt)
        parser = self.parser(task.options, draft)
        if wanted is Task.PAGE:
            parsed = self.parse(parser, image)
            return RegionRead(page_text(parsed.page, task), "stop", parsed.counts)
        runs = Recorded(parser.decoder)
        parser.decoder = runs
        region = parser.verified(*region_page(draft, image, wanted))
        return RegionRead(region_text(region), "stop", counts_of(runs.results, None))


class _Noting(EmbeddedParser):
    """Notes which results a block was made of."""

    def __init__(self, options: ParseOptions, draft: DraftParser, target: NanoTarget) -> None:
        super().__init__(options, draft, target)
        self._noted: list[tuple[Block, Sequence[Result]]] = []

    def parse_page(self, page: PageImage) -> Page:
        self._noted.clear()
        return super().parse_page(page)

    def answered(self, block: Block, results: Sequence[Result], lines: Sequence[TextLine]) -> Block:
        read = super().answered(block, results, lines)
        self._noted.append((read, results))
        return read

    def traces(self, page: Page) -> Traces:
        """Committed tokens of the blocks that the model stands for."""
        places = {id(block): index for index, block in enumerate(page.blocks)}
        return {
            places[id(block)]: [entry for result in results for entry in result.trace]
            for block, results in self._noted
            if block.source == self.target.name
        }
