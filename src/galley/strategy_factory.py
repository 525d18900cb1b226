"""The parser of the strategy that the options name."""

from __future__ import annotations

from galley.errors import ModelError, UsageError
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.page.tools import ImageSink
from galley.parsing.strategies.embedded import EmbeddedParser, read_by_embedded
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.regions import RegionsParser
from galley.parsing.strategies.whole_page import PageParser, can_read_pages
from galley.targets.nano.target import NanoTarget
from galley.targets.prompt import AnyReader, DraftingEngine, SelfDecoding

SERVED = "openai:"
"""Begins the name of a model behind an OpenAI-compatible server: ``openai:http://host:port/v1#model``."""
IN_VLLM = "vllm:"
"""Begins the name of a checkpoint that vLLM runs in this process: ``vllm:PATH`` or ``vllm:owner/name``."""

AnyParser = DraftParser | EmbeddedParser | RegionsParser | PageParser | HierarchicalParser


def needs_model(options: ParseOptions) -> bool:
    """Whether the options ask for a model that is to be loaded.

    Raises:
        UsageError: strategy and model contradict each other.
    """
    if options.strategy == "draft" and options.model is not None:
        raise UsageError("the draft strategy uses no model; leave out --model or --strategy draft")
    return not read_by_embedded(options) and options.model is not None


def make_strategy(
    options: ParseOptions,
    image_sink: ImageSink | None = None,
    reader: AnyReader | None = None,
    *,
    draft: DraftParser | None = None,
    embedded: NanoTarget | None = None,
) -> AnyParser:
    """A parser for the options.

    Args:
        options: what is asked for.
        image_sink: keeps figures.
        reader: the verifying model, when it is loaded already.
        draft: what drafts, with its models, when it is there already; ``image_sink`` is then its own.
        embedded: the model that ships with Galley, when it is loaded already.

    Raises ``UsageError`` for options that contradict each other and ``ModelError`` for a model that cannot be
    loaded or cannot do what is asked.
    """
    draft = draft or DraftParser(options, image_sink)
    if reader is None:
        if read_by_embedded(options):
            return EmbeddedParser(options, draft, embedded)
        if not needs_model(options):
            return draft
        reader = load_reader(options)
    strategy = _fitting_strategy(reader) if options.strategy == "auto" else options.strategy
    if strategy == "regions":
        return RegionsParser(options, reader, draft)
    if strategy == "page":
        return PageParser(options, reader, draft)
    return HierarchicalParser(options, reader, draft)


def load_reader(options: ParseOptions) -> AnyReader:
    """The model the options name; ``ModelError`` where the packages it needs are missing."""
    assert options.model is not None
    if options.model.startswith(SERVED):
        return _served_reader(options.model, options)
    if options.model.startswith(IN_VLLM):
        return _vllm_reader(options.model.removeprefix(IN_VLLM), options)
    try:
        from galley.targets.transformers import load_target
    except ImportError as error:
        raise ModelError("reading with a model needs more packages: pip install 'galley-ocr[vlm]'") from error
    return load_target(options.model, options.device, options.dtype, options.trust_remote_code)


def _served_reader(model: str, options: ParseOptions) -> SelfDecoding:
    try:
        from galley.targets.openai import Settings, load_served
    except ImportError as error:
        raise ModelError("a served model needs more packages: pip install 'galley-ocr[openai]'") from error
    limits = Settings(seconds=options.request_seconds, retries=options.retries, concurrency=options.batch)
    return load_served(model, options.family, limits)


def _vllm_reader(model: str, options: ParseOptions) -> DraftingEngine:
    try:
        from galley.engines.vllm.vllm_reader import EngineSettings, load_vllm
    except ImportError as error:
        raise ModelError(
            "vLLM is not installed beside Galley; docs/engines.md says how, or leave out vllm:"
        ) from error
    if options.device is not None:
        raise UsageError("vLLM takes the device it was built for; leave out --device")
    limits = EngineSettings(options.batch, dtype=options.dtype, trust_remote_code=options.trust_remote_code)
    return load_vllm(model, limits, options.block_size)


def _fitting_strategy(reader: AnyReader) -> str:
    try:
        can_read_pages(reader)
    except ModelError:
        return "regions"
    undrafted = isinstance(reader, SelfDecoding) and not isinstance(reader, DraftingEngine)
    return "page" if undrafted else "hierarchical"
