"""From options to a decoder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from galley.decoding import (
    Acceptance,
    Auto,
    BlockDiffusion,
    Decoder,
    Exact,
    Match,
    Mtp,
    Plain,
    Request,
    Result,
    Threshold,
    diffuse,
)
from galley.decoding.proposers import Proposals
from galley.errors import ModelError, UsageError
from galley.parsing.options import ParseOptions
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
    if options.decode in ("self-spec", "diffusion") and reader.mask_id is None:
        raise ModelError(
            f"{reader.name} was not trained to draft for itself (it has no block_diffusion.json); "
            "use --decode auto, match or ar"
        )
    if options.decode == "diffusion":
        return DirectDiffusion(reader, options.block_size)
    return Decoder(reader, make_proposals(reader, options), max_batch=options.batch, key=text_key(reader))


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


def make_proposals(reader: Reader, options: ParseOptions) -> Proposals:
    """What drafts as the options say; ``ModelError`` where the model cannot."""
    if options.decode == "self-spec":
        return BlockDiffusion(options.block_size)
    if options.decode == "mtp":
        if not hasattr(reader, "mtp"):
            raise ModelError(
                f"{reader.name} has no multi-token-prediction head; use --decode auto, match or ar"
            )
        return Mtp()
    plain: dict[str, Proposals] = {"ar": Plain(), "match": Match(), "auto": Auto()}
    return plain[options.decode]
