"""Shape and training facts of an embedded model, stored beside its weights as ``config.json``."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from galley.errors import ModelError


@dataclass(frozen=True)
class NanoConfig:
    """Shape of a decoder of pre-norm blocks, and what was measured of it.

    Attributes:
        vocab_size: number of token ids.
        width: size of the hidden states.
        layers: number of blocks.
        heads: attention heads.
        kv_heads: heads of keys and values.
        hidden: width of the feed-forward layers.
        rope_theta: base of the rotary frequencies.
        norm_eps: added to variances in norms.
        block_size: masks it drafts with.
        box_waves: frequencies by which box coordinates are encoded.
        reach: most reading tokens it is asked to read at a time.
        least_odds: natural logarithm of the odds, its own times those of what is printed, from which its
            corrections were right on held-out lines.
    """

    vocab_size: int = 4096
    width: int = 384
    layers: int = 6
    heads: int = 6
    kv_heads: int = 2
    hidden: int = 1024
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-6
    block_size: int = 32
    box_waves: int = 8
    reach: int = 256
    least_odds: float = 0.0

    @property
    def head_dim(self) -> int:
        """Size of one attention head."""
        return self.width // self.heads

    def save(self, path: Path) -> None:
        """Write it as JSON."""
        path.write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, path: Path) -> NanoConfig:
        """Read what ``save`` wrote.

        Raises:
            ModelError: the file is not readable as a configuration.
        """
        try:
            return cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(f"{path} is not a galley-nano configuration: {error}") from error
