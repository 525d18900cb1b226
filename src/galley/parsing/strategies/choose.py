"""The parser of the strategy that the options name."""

from __future__ import annotations

from galley.errors import ModelError, UsageError
from galley.parsing.blocks import ImageSink
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions
from galley.parsing.strategies.hierarchical import HierarchicalParser
from galley.parsing.strategies.page import PageParser, can_read_pages
from galley.parsing.strategies.regions import RegionsParser
from galley.targets.prompt import Reader

AnyParser = DraftParser | RegionsParser | PageParser | HierarchicalParser


def needs_model(options: ParseOptions) -> bool:
    """Whether the options ask for a model; ``UsageError`` where strategy and model contradict each other."""
    if options.strategy == "draft" and options.model is not None:
        raise UsageError("the draft strategy uses no model; leave out --model or --strategy draft")
    if options.strategy not in ("auto", "draft") and options.model is None:
        raise UsageError(f"the {options.strategy} strategy needs a model; name one with --model")
    return options.model is not None


def make_strategy(
    options: ParseOptions, image_sink: ImageSink | None = None, reader: Reader | None = None
) -> AnyParser:
    """A parser for the options. reader: the model, when it is loaded already.

    Raises ``UsageError`` for options that contradict each other and ``ModelError`` for a model that cannot be
    loaded or cannot do what is asked.
    """
    draft = DraftParser(options, image_sink)
    if reader is None:
        if not needs_model(options):
            return draft
        reader = load_reader(options)
    strategy = options.strategy
    if strategy == "auto":
        strategy = "hierarchical" if _reads_pages(reader) else "regions"
    if strategy == "regions":
        return RegionsParser(options, reader, draft)
    if strategy == "page":
        return PageParser(options, reader, draft)
    return HierarchicalParser(options, reader, draft)


def load_reader(options: ParseOptions) -> Reader:
    """The model the options name; ``ModelError`` where the packages it needs are missing."""
    try:
        from galley.targets.transformers import load_target
    except ImportError as error:
        raise ModelError("reading with a model needs more packages: pip install 'galley[vlm]'") from error
    assert options.model is not None
    return load_target(options.model, options.device, options.dtype, options.trust_remote_code)


def _reads_pages(reader: Reader) -> bool:
    try:
        can_read_pages(reader)
    except ModelError:
        return False
    return True
