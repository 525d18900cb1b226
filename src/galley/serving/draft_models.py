"""Reading without a model that has to be named: drafts, and the embedded model on top of them."""

from __future__ import annotations

from collections.abc import Callable

from galley.decoding import Decoder
from galley.ingest.page import PageImage
from galley.loaded_models import LoadedModels
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.embedded import EmbeddedParser
from galley.parsing.strategies.page_reading import PageReading
from galley.reading import ImageSink, PageParser, ParserFactory
from galley.serving.counting import counts_of
from galley.serving.models import Parsed
from galley.serving.region_reading import (
    page_text,
    read_drafted,
    region_image,
    region_page,
    region_text,
    task_for,
)
from galley.serving.tasks import Counts, Delta, ReadRegion, RegionRead
from galley.targets.prompt import Task


class DraftModels:
    """The models are light enough for every worker process.

    Args:
        factory: makes other parsers than these.
        model: what the server was given; the folder of a galley-nano is read with here instead of the one that ships
            with Galley.
    """

    def __init__(self, factory: ParserFactory | None = None, model: str | None = None) -> None:
        self._factory, self._model = factory, model
        self.loaded = LoadedModels()

    def parser(self, options: ParseOptions, sink: ImageSink | None) -> PageParser:
        """A parser for one lane."""
        if self._factory:
            return self._factory(options, sink)
        return self.loaded.parser(options, sink)

    def parse(self, parser: PageParser, options: ParseOptions, image: PageImage, owner: str) -> Parsed:
        """Parse a page."""
        if not isinstance(parser, EmbeddedParser):
            return Parsed(parser.parse_page(image))
        reading = parser.read_page(image)
        return Parsed(reading.page, reading.traces, _counts(parser, reading))

    def decode(self, ids: list[int]) -> str:
        """The text of token ids in traces."""
        return self.loaded.embedded(self._model).decode(ids)

    def read_region(self, task: ReadRegion, send: Callable[[Delta], None]) -> RegionRead:
        """Read one image for a prompt."""
        parser = self.loaded.parser(task.options)
        if isinstance(parser, EmbeddedParser):
            read = _verified_region(parser, task)
        else:
            read = RegionRead(read_drafted(self.loaded.draft(task.options), task), "stop", Counts())
        send(Delta(read.text))
        return read

    def cancel(self, owner: str) -> None:
        """A page takes seconds here: it is read to its end."""


def _verified_region(parser: EmbeddedParser, task: ReadRegion) -> RegionRead:
    """One image for a prompt: text and pages verified, tables and formulas as drafted."""
    image, wanted = region_image(task), task_for(task.prompt)
    if wanted is Task.PAGE:
        reading = parser.read_page(image)
        return RegionRead(page_text(reading.page, task), "stop", _counts(parser, reading))
    reading = parser.verified(*region_page(parser.draft, image, wanted))
    return RegionRead(region_text(reading.page), "stop", _counts(parser, reading))


def _counts(parser: EmbeddedParser, reading: PageReading) -> Counts:
    decoder = parser.decoder
    return counts_of(reading.results, decoder.costs if isinstance(decoder, Decoder) else None)
