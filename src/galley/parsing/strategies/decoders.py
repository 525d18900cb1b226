"""From options to a decoder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from galley.decoding import (
    DRAFTERS,
    Acceptance,
    Auto,
    Autoregressive,
    Decoder,
    DrafterConfig,
    DraftMatching,
    Exact,
    Request,
    Result,
    SelfSpeculation,
    Threshold,
    diffuse,
)
from galley.errors import ModelError, UsageError
from galley.parsing.options import DIRECT_DIFFUSION, ParseOptions
from galley.targets.prompt import AnyReader, DraftingEngine, Reader, Runner, SelfDecoding, text_key


@dataclass(frozen=True)
class DirectDiffusion:
    """Takes the model's own block-diffusion drafts unverified, one request at a time: a diagnostic."""

    reader: Reader
    block_size: int | None

    def run(self, requests: Iterable[Request]) -> list[Result]:
        """Decode the requests one after another."""
        return [
            diffuse(self.reader, request.prompt, max_tokens=request.max_tokens, block_size=self.block_size)
            for request in requests
        ]


def make_decoder(reader: AnyReader, options: ParseOptions) -> Runner:
    """What decodes as the options say; ``ModelError`` where the model cannot do it."""
    if isinstance(reader, DraftingEngine):
        return reader.decoder(options.decode, options.block_size)
    if isinstance(reader, SelfDecoding):
        _leave_decoding_to(reader, options)
        return reader
    if options.decode == DIRECT_DIFFUSION:
        _check(SelfSpeculation(options.block_size), reader)
        return DirectDiffusion(reader, options.block_size)
    config = make_drafter_config(options)
    _check(config, reader)
    return Decoder(reader, config, max_batch=options.batch, key=text_key(reader))


def make_acceptance(options: ParseOptions) -> Acceptance:
    """Exact at tau 1, else HSD's threshold."""
    return Exact() if options.tau == 1 else Threshold(options.tau)


def _leave_decoding_to(reader: SelfDecoding, options: ParseOptions) -> None:
    """``UsageError`` for options about decoding, over which Galley has no say behind a server."""
    asked = {
        "--decode": options.decode not in ("auto", "ar"),
        "--tau": options.tau != 1,
        "--block-size": options.block_size is not None,
        "--strategy hierarchical": options.strategy == "hierarchical",
    }
    for name, is_asked in asked.items():
        if is_asked:
            raise UsageError(f"{reader.name} is decoded by its server; leave out {name}")


def make_drafter_config(options: ParseOptions) -> DrafterConfig:
    """What drafts as the options say."""
    if options.decode == SelfSpeculation.name:
        return SelfSpeculation(options.block_size)
    return DRAFTERS[options.decode]()


def make_page_drafter_config(reader: AnyReader, options: ParseOptions) -> DrafterConfig | None:
    """What drafts for a page whose regions were read: their text, with what the options name where none matches.

    None where the decoder's own way does: it matches already, it was asked to draft nothing, or somebody else decodes.
    """
    if options.decode == DIRECT_DIFFUSION or isinstance(reader, SelfDecoding):
        return None
    config = make_drafter_config(options)
    if isinstance(config, (Autoregressive, DraftMatching, Auto)):
        return None
    return Auto(drafters=(DraftMatching(), config))


def _check(config: DrafterConfig, reader: Reader) -> None:
    """``ModelError`` where the model cannot be drafted for so, naming what it can do."""
    if reason := config.unsupported(reader):
        able = [name for name, other in DRAFTERS.items() if not other().unsupported(reader)]
        raise ModelError(f"{reader.name} {reason}; use --decode {', '.join(able)}")
