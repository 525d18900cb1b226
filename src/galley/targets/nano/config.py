"""Shape and training facts of an embedded model, stored beside its weights as ``config.json``."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from galley.errors import ModelError


@dataclass(frozen=True)
class NanoConfig:
    """A decoder of ``layers`` pre-norm blocks; ``block_size`` is the number of masks it drafts with.

    reach: reading tokens it is asked to read at a time. least_odds: natural logarithm of the odds, its own times those
    of what is printed, from which its corrections were right on held-out lines.
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
        return self.width // self.heads

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, path: Path) -> NanoConfig:
        try:
            return cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(f"{path} is not a galley-nano configuration: {error}") from error
