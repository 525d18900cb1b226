"""Models that stay loaded, so that many documents can be read with them."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.embedded import embedded_target, read_by_embedded
from galley.parsing.strategies.file_drafts import FileDraftParser
from galley.reading import ImageSink, PageParser
from galley.runtime import threads
from galley.strategy_factory import load_reader, make_strategy, needs_model
from galley.targets.nano.target import NanoTarget
from galley.targets.prompt import AnyReader


class LoadedModels:
    """Makes parsers that share their models; for one thread at a time.

    Each model is loaded when it is first needed. Of the verifying models, the one used last is kept.
    """

    def __init__(self) -> None:
        self._embedded: tuple[Hashable, NanoTarget] | None = None
        self._reader: tuple[Hashable, AnyReader] | None = None

    def parser(self, options: ParseOptions, image_sink: ImageSink | None = None) -> PageParser:
        """A parser for these options. Raises what ``make_strategy`` does."""
        draft = self.draft(options, image_sink)
        if read_by_embedded(options):
            return make_strategy(options, draft=draft, embedded=self.embedded(options.model))
        if needs_model(options):
            return make_strategy(options, draft=draft, reader=self._verifier(options))
        return FileDraftParser(draft)

    def draft(self, options: ParseOptions, image_sink: ImageSink | None = None) -> DraftParser:
        """A parser that drafts for these options."""
        return self._drafting.for_options(options, image_sink)

    def embedded(self, model: str | None) -> NanoTarget:
        """The model of a folder, or the one that ships with Galley.

        Raises:
            ModelError: It is missing or damaged.
        """
        if self._embedded is None or self._embedded[0] != model:
            self._embedded = model, embedded_target(model)
        return self._embedded[1]

    @cached_property
    def _drafting(self) -> DraftParser:
        """The parser whose models all drafts share."""
        return DraftParser(ParseOptions())

    def _verifier(self, options: ParseOptions) -> AnyReader:
        settings = (
            options.model,
            options.family,
            options.device,
            options.dtype,
            options.trust_remote_code,
            options.request_seconds,
            options.retries,
            options.batch,
            options.block_size,
        )
        if self._reader is None or self._reader[0] != settings:
            self._reader = None  # its memory first
            self._reader = settings, load_reader(options)
        return self._reader[1]


class ModelCache:
    """The loaded models of one thread; a change of the thread count, which models are loaded for, starts anew."""

    def __init__(self) -> None:
        self._models: tuple[int, LoadedModels] | None = None

    def models(self) -> LoadedModels:
        """Those that fit the thread count at hand."""
        if self._models is None or self._models[0] != threads():
            self._models = threads(), LoadedModels()
        return self._models[1]
