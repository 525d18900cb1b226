"""The exported graph of what a reading shows: run once for a reading, before its prompt."""

from __future__ import annotations

import math

import numpy as np
import onnx
from onnx import TensorProto

from galley.targets.nano.reading import BINS, CHANNELS
from galley.training.nano.model import Nano
from galley.training.nano.onnx_parts import ACTIVATION_MOST, Builder, floats, ints, quantise


def encoder_graph(nano: Nano) -> onnx.ModelProto:
    """The graph of ``galley.targets.nano.target.Forward.encode``."""
    build = Builder()
    encoded = build.op("Add", _features(nano, build), _boxes(nano, build))
    table, step = quantise(nano.embedding.weight)
    scale = floats(step * math.sqrt(nano.config.width))[:, None]
    ids = build.op("Cast", build.op("Gather", table, "ids"), to=TensorProto.FLOAT)
    token = build.op("Add", build.op("Mul", ids, build.op("Gather", scale, "ids")), encoded)
    small, size = build.quantised_rows(token)
    lookahead = build.op("Mul", build.linear(small, nano.lookahead.weight), size)
    inputs: dict[str, tuple[int, list[str | int]]] = {
        "ids": (TensorProto.INT64, ["tokens"]),
        "features": (TensorProto.FLOAT, ["tokens", BINS * CHANNELS]),
        "boxes": (TensorProto.FLOAT, ["tokens", 4]),
    }
    outputs = {"encoded": (encoded, TensorProto.FLOAT), "lookahead": (lookahead, TensorProto.FLOAT)}
    return build.model(inputs, outputs)


def _features(nano: Nano, build: Builder) -> str:
    mean, spread = (
        np.tile(part.numpy(), BINS) for part in (nano.encoder.feature_mean, nano.encoder.feature_std)
    )
    normal = build.op("Div", build.op("Sub", "features", floats(mean)), floats(spread))
    # Breaks have no features: all zero before they are normalised, and after.
    shown = build.op("Sign", build.op("ReduceMax", build.op("Abs", "features"), ints(-1), keepdims=1))
    small, step = build.quantised_rows(build.op("Mul", normal, shown))
    return build.op("Mul", build.linear(small, nano.encoder.features.weight), step)


def _boxes(nano: Nano, build: Builder) -> str:
    waves = nano.encoder.waves
    rates = floats(2 * math.pi / 2.0 ** np.arange(1, waves + 1))
    angles = build.op("Mul", build.op("Unsqueeze", "boxes", ints(2)), rates)
    both = build.op("Concat", build.op("Sin", angles), build.op("Cos", angles), axis=2)
    steps = build.op("Mul", build.reshape(both, -1, 4 * 2 * waves), floats(ACTIVATION_MOST))
    return build.linear(build.quantised(steps), nano.encoder.boxes.weight, 1 / ACTIVATION_MOST)
