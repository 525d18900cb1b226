"""A vision–language model in a worker process: pages of several requests decode in one batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from galley.decoding import Decoder, Exact, Finish, Request, Result, Sampling
from galley.document import Document
from galley.errors import ModelError, one_line
from galley.ingest.page import PageImage
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.decoders import Runner, make_decoder, make_drafter_config
from galley.parsing.strategies.drafts import draft_text
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.regions import RegionsParser
from galley.parsing.strategies.whole_page import PageParser as WholePageParser
from galley.parsing.strategies.whole_page import can_read_pages
from galley.reading import ImageSink, PageParser
from galley.serving.batching import SharedDecoder
from galley.serving.counting import counts_of
from galley.serving.draft_models import DraftModels
from galley.serving.models import Parsed
from galley.serving.proof import TextStream
from galley.serving.region_reading import region_image, region_page, task_for
from galley.serving.tasks import Counts, Delta, ReadRegion, RegionRead
from galley.strategy_factory import load_reader, make_strategy
from galley.targets.prompt import AnyReader, Task


class ReaderModels(DraftModels):
    """Reads with the model that the server's options name."""

    def __init__(self, options: ParseOptions) -> None:
        super().__init__()
        self._reader: AnyReader = load_reader(options)
        decoder = make_decoder(self._reader, options)
        self._shared = SharedDecoder(decoder, options.batch) if isinstance(decoder, Decoder) else None

    def parser(self, options: ParseOptions, sink: ImageSink | None) -> PageParser:
        """A parser for one lane."""
        return make_strategy(options, reader=self._reader, draft=self.loaded.draft(options, sink))

    def parse(self, parser: PageParser, options: ParseOptions, image: PageImage, owner: str) -> Parsed:
        """Parse a page; regions of all owners share the model's batch."""
        assert isinstance(parser, RegionsParser | WholePageParser | HierarchicalParser)
        reading = parser.read_page(image, self._runner(options, owner))
        return Parsed(reading.page, reading.traces, self._counts(reading.results))

    def decode(self, ids: list[int]) -> str:
        """The text of token ids in traces."""
        return self._reader.decode(ids)

    def read_region(self, task: ReadRegion, send: Callable[[Delta], None]) -> RegionRead:
        """Read one image for a prompt."""
        image, wanted = region_image(task), task_for(task.prompt)
        if wanted is Task.PAGE and not self._reads_pages():
            parsed = self.parse(self.parser(task.options, None), task.options, image, task.owner)
            text = Document(pages=[parsed.page]).to_markdown(task.options.keep).strip()
            send(Delta(text))
            return RegionRead(text, "stop", parsed.counts)
        written = TextStream(self._reader.decode)
        request = self._request(task, image, wanted)
        request.on_commit = lambda ids: send(Delta(written.add(ids)))
        [result] = self._runner(task.options, task.owner).run([request])
        if result.finish is Finish.ERROR:
            raise ModelError(f"{self._reader.name} could not read the image: {_why(result)}")
        finish = "stop" if result.finish is Finish.STOP else "length"
        return RegionRead(self._reader.decode(result.ids), finish, self._counts([result]))

    def cancel(self, owner: str) -> None:
        """Stop reading for this owner as soon as possible."""
        if self._shared:
            self._shared.cancel(owner)

    def _request(self, task: ReadRegion, image: PageImage, wanted: Task) -> Request:
        draft = self.loaded.draft(task.options)
        page = draft.parse_page(image) if wanted is Task.PAGE else region_page(draft, image, wanted)[0]
        drafts = [draft_text(block, self._reader.table_format) for block in page.blocks]
        texts = drafts if wanted is Task.PAGE else ["\n".join(drafts)]
        most = task.options.max_page_tokens if wanted is Task.PAGE else task.options.max_tokens
        return Request(
            self._reader.prompt(image.image, wanted),
            drafts=[self._reader.encode(text) for text in texts],
            max_tokens=min(most, task.max_tokens or most),
            acceptance=Sampling(task.temperature) if task.temperature else Exact(),
            repetition_penalty=task.repetition_penalty,
        )

    def _reads_pages(self) -> bool:
        try:
            can_read_pages(self._reader)
        except ModelError:
            return False
        return True

    def _runner(self, options: ParseOptions, owner: str) -> Runner:
        if self._shared is None:
            return make_decoder(self._reader, options)
        return _OwnersDecoder(self._shared, options, owner)

    def _counts(self, results: Sequence[Result]) -> Counts:
        return counts_of(results, self._shared.decoder.costs if self._shared else None)


def _why(result: Result) -> str:
    return one_line(result.error) if result.error else "no reason given"


class _OwnersDecoder:
    """An owner's share of the decoder, which drafts as the owner's options say."""

    def __init__(self, shared: SharedDecoder, options: ParseOptions, owner: str) -> None:
        self._shared, self._owner = shared, owner
        self._drafter_config = make_drafter_config(options)

    def run(self, requests: Iterable[Request]) -> list[Result]:
        asked = list(requests)
        for request in asked:
            request.drafter = request.drafter or self._drafter_config
        return self._shared.run(self._owner, asked)
