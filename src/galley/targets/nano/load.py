"""The embedded model from its folder, run by ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from galley.errors import ModelError
from galley.runtime import session
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.target import Buffer, Floats, NanoTarget
from galley.targets.nano.tokens import Vocabulary

EMBEDDED = Path(__file__).parent / "weights"
"""The folder of the model that ships with Galley."""

DECODER, ENCODER, CONFIG, TOKENIZER = "decoder.onnx", "encoder.onnx", "config.json", "tokenizer.json"


class OnnxForward:
    """The graphs on the CPU. ONNX Runtime reads a sequence's buffers where they lie."""

    def __init__(self, folder: Path, config: NanoConfig):
        self._encoder, self._decoder = session(folder / ENCODER), session(folder / DECODER)
        shape = config.layers, config.kv_heads
        self._no_past = (
            np.zeros((*shape, config.head_dim, 0), np.int8),
            np.zeros((*shape, 0, config.head_dim + 1), np.int8),
        )

    def encode(self, ids: NDArray[np.int64], features: Floats, boxes: Floats) -> tuple[Floats, Floats]:
        encoded, lookahead = self._encoder.run(None, {"ids": ids, "features": features, "boxes": boxes})
        return encoded, lookahead

    def no_past(self) -> tuple[Buffer, Buffer]:
        return self._no_past

    def __call__(self, *, keys: Buffer, values: Buffer, **arrays: NDArray) -> tuple[Floats, Buffer, Buffer]:
        for layer, (key, value) in enumerate(zip(keys, values, strict=True)):
            arrays[f"keys_{layer}"], arrays[f"values_{layer}"] = key, value
        logits, keys, values = self._decoder.run(["logits", "new_keys", "new_values"], arrays)
        return logits, keys, values


def load_embedded() -> NanoTarget:
    """The model that ships with Galley. Raises ``ModelError`` where it is not there."""
    if not (EMBEDDED / DECODER).is_file():
        raise ModelError(
            "this copy of Galley has no embedded model; install the package galley-ocr, or name a model with --model"
        )
    return load_nano(EMBEDDED)


def load_nano(folder: Path) -> NanoTarget:
    """The embedded model of a folder as a target. Raises ``ModelError`` if files are missing or do not
    fit."""
    for name in (DECODER, ENCODER, CONFIG, TOKENIZER):
        if not (folder / name).is_file():
            raise ModelError(f"{folder} has no {name}; it is not an exported galley-nano model")
    config = NanoConfig.load(folder / CONFIG)
    return NanoTarget(OnnxForward(folder, config), config, Vocabulary.load(folder / TOKENIZER))
