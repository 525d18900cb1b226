"""The embedded model from its folder, run by ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

from numpy.typing import NDArray

from galley.errors import ModelError
from galley.runtime import session
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.target import Floats, NanoTarget
from galley.targets.nano.tokens import Vocabulary

EMBEDDED = Path(__file__).parent / "weights"
"""The folder of the model that ships with Galley."""

GRAPH, CONFIG, TOKENIZER = "nano.onnx", "config.json", "tokenizer.json"


class OnnxForward:
    """The graph on the CPU. ONNX Runtime reads a sequence's buffers where they lie."""

    def __init__(self, path: Path):
        self._session = session(path)

    def __call__(self, **arrays: NDArray) -> tuple[Floats, Floats, Floats]:
        logits, keys, values = self._session.run(["logits", "new_keys", "new_values"], arrays)
        return logits, keys, values


def load_embedded() -> NanoTarget:
    """The model that ships with Galley. Raises ``ModelError`` where it is not there."""
    if not (EMBEDDED / GRAPH).is_file():
        raise ModelError(
            "this copy of Galley has no embedded model; install the galley package, or name a model with --model"
        )
    return load_nano(EMBEDDED)


def load_nano(folder: Path) -> NanoTarget:
    """The embedded model of a folder as a target. Raises ``ModelError`` if files are missing or do not
    fit."""
    for name in (GRAPH, CONFIG, TOKENIZER):
        if not (folder / name).is_file():
            raise ModelError(f"{folder} has no {name}; it is not an exported galley-nano model")
    config = NanoConfig.load(folder / CONFIG)
    return NanoTarget(OnnxForward(folder / GRAPH), config, Vocabulary.load(folder / TOKENIZER))
