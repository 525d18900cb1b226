"""A parser whose decoding can be exchanged, so that every way of decoding meets the same model and pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from galley.decoding import DraftPool, Request, Result
from galley.document import Label, Page
from galley.errors import ModelError, UsageError
from galley.evaluation.crops import drafted_crop
from galley.ingest.page import PageImage
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.page_passes import PagePass, run_page_passes
from galley.parsing.strategies.decoders import make_decoder
from galley.parsing.strategies.regions import RegionsParser
from galley.strategy_factory import make_strategy
from galley.targets.prompt import DraftingEngine, Runner, SelfDecoding

AR = "ar"
WAYS = (AR, "match", "self-spec", "mtp", "auto", "diffusion")
_USUAL = WAYS[:-1]
INEXACT = frozenset({"diffusion"})
"""Ways whose text may differ from AR's."""


@dataclass(frozen=True, eq=False)
class Unit:
    """One thing the model was asked to read.

    Attributes:
        kind: Text, table, formula or page, ``other`` where not known.
    """

    name: str
    kind: str
    request: Request


class Recorder:
    """Decodes like another runner and keeps what was asked."""

    def __init__(self, inner: Runner) -> None:
        self._inner = inner
        self.requests: list[Request] = []

    def run(self, requests: Iterable[Request]) -> list[Result]:
        """Decode, and note requests and results."""
        asked = list(requests)
        results = self._inner.run(asked)
        self.requests += map(_frozen, asked)
        return results


def _frozen(request: Request) -> Request:
    """The request by itself, with the drafts it had in the end."""
    drafts = request.drafts
    fixed = [list(drafts[i]) for i in range(len(drafts))] if isinstance(drafts, DraftPool) else drafts
    return replace(request, drafts=fixed, on_commit=None, on_finish=None)


class Bench:
    """The parser under test. ``ways`` in the order they are measured, AR first."""

    def __init__(self, options: ParseOptions, ways: Sequence[str] | None) -> None:
        self.options = options.model_copy(update={"decode": AR, "tau": 1.0})
        parser: Any = make_strategy(self.options)
        if isinstance(parser, DraftParser):
            raise UsageError("drafts alone are not decoded; leave out --strategy draft")
        self.parser = parser
        self.reader: Any = getattr(parser, "reader", None) or parser.target
        if isinstance(self.reader, SelfDecoding) and not isinstance(self.reader, DraftingEngine):
            raise UsageError(f"{self.reader.name} is decoded by its server; there is no other way to compare")
        self.left_out: list[str] = []
        self.runners = {name: runner for name in self._names(ways) if (runner := self._runner(name, ways))}
        self._page_draft: DraftParser = parser.draft
        self._crop_draft = _CropDraft(parser.draft)

    @property
    def ways(self) -> list[str]:
        """The names of the ways that the model can decode."""
        return list(self.runners)

    @property
    def exact(self) -> list[str]:
        """Ways besides AR that have to write what AR writes."""
        return [way for way in self.ways if way != AR and way not in INEXACT]

    def runner(self, way: str, batch: int) -> Runner:
        """A new decoder for ``batch`` sequences at a time."""
        return make_decoder(self.reader, self.options.model_copy(update={"decode": way, "batch": batch}))

    def read(self, way: str, page: PageImage, label: Label | None) -> Page:
        """Parse a page, or a crop that is one block, decoding one way. Raises what parsing raises."""
        self._take_as(label)
        read: Page = self.parser.read_page(page, self.runners[way]).page
        return read

    def units(self, name: str, page: PageImage, label: Label | None) -> list[Unit]:
        """What the model is asked in a page."""
        recorder = Recorder(self.runners[AR])
        self._take_as(label)
        self.parser.read_page(page, recorder)
        return [
            Unit(f"{name}/{number}", _kind(request), request)
            for number, request in enumerate(recorder.requests)
        ]

    def drafted(self, page: PageImage, label: Label | None) -> Page:
        """The page without the model."""
        self._take_as(label)
        return self.parser.draft.run(page).as_page()

    def _take_as(self, label: Label | None) -> None:
        """Crops are blocks to ``regions`` with a model of one's own; other strategies find the blocks in them."""
        as_block = label is not None and isinstance(self.parser, RegionsParser)
        if label is not None:
            self._crop_draft.label = label
        self.parser.draft = self._crop_draft if as_block else self._page_draft

    def _names(self, ways: Sequence[str] | None) -> list[str]:
        unknown = [way for way in ways or () if way not in WAYS]
        if unknown:
            raise UsageError(f"--decode {unknown[0]}: there are {', '.join(WAYS)}")
        return list(dict.fromkeys([AR, *(ways or _USUAL)]))

    def _runner(self, way: str, asked: Sequence[str] | None) -> Runner | None:
        try:
            return self.runner(way, self.options.batch)
        except ModelError as error:
            if asked:
                raise
            self.left_out.append(f"{way} left out: {error}")
            return None


class _CropDraft:
    """Stands in for the draft parser where the whole image is one block of a kind that is known."""

    def __init__(self, draft: DraftParser) -> None:
        self._draft = draft
        self.label = Label.TEXT

    def run(self, page: PageImage, more: Sequence[PagePass] = ()) -> PageState:
        state = PageState.of(page)
        state.blocks = [drafted_crop(self._draft, page, self.label)]
        return run_page_passes(state, self._draft.page_tools, more)


def _kind(request: Request) -> str:
    task = getattr(request.prompt, "task", None)
    return task.value if task is not None else "other"
