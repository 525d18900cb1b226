"""An exported model read back into the decoder that is trained: weights of seven bits times their steps.

What the export folds together can only be taken apart up to factors that do not change what the model computes: the
norm before a linear layer gets a mean square of 1 and the layer its scale, a layer's norms of queries and of keys get
the same largest weight, and the rows of its values one size. Exported again, all integers are the same, and steps are
to the rounding of float32; but those of the values, which follow from the rounded weights, within a few thousandths.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import onnx
import torch
from google.protobuf.message import DecodeError
from numpy.typing import NDArray
from onnx import numpy_helper
from torch import Tensor, nn

from galley.errors import ModelError, one_line
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import CONFIG, DECODER, ENCODER
from galley.targets.nano.reading import CHANNELS
from galley.training.nano.model import Attention, Block, Nano, ReadingEncoder
from galley.training.nano.onnx_decoder import HALF, HEAD_MOST, NORMED_MOST, value_steps
from galley.training.nano.onnx_parts import ACTIVATION_MOST, WEIGHT_MOST

Array = NDArray[np.float32]


def import_model(folder: Path) -> Nano:
    """The decoder of an exported folder.

    Raises:
        ModelError: For what is no export of ``galley.training``.
    """
    nano = Nano(NanoConfig.load(folder / CONFIG))
    try:
        with torch.no_grad():
            _read_decoder(nano, _Graph(folder / DECODER))
            _read_encoder(nano.encoder, nano.lookahead, _Graph(folder / ENCODER))
    except (OSError, ValueError, RuntimeError, DecodeError) as error:
        raise ModelError(f"{folder} is no exported galley-nano model: {one_line(error)}") from error
    return nano


class _Graph:
    """The constants of a graph by the nodes that take them, in the order of computation."""

    def __init__(self, path: Path):
        graph = onnx.load(str(path)).graph
        constants = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
        self._nodes = [(node.op_type, [constants.get(name) for name in node.input]) for node in graph.node]
        products = self.inputs("MatMulIntegerToFloat")
        self.linears = [
            (weight.T.astype(np.float32), np.broadcast_to(scale, weight.shape[1]).astype(np.float32))
            for _, weight, _, scale, *_ in products
            if weight is not None and scale is not None
        ]
        """Integers (m, k) of every linear layer, and what a step of each row (m,) times one of its input is worth."""
        self.between = [scale for _, weight, _, scale, *_ in products if weight is None and scale is not None]
        """Scales of products of two computed things."""

    def inputs(self, kind: str) -> list[list[Array | None]]:
        """The inputs of every node of a kind; None for what is computed."""
        return [inputs for op, inputs in self._nodes if op == kind]

    def constants(self, kind: str) -> list[Array]:
        """The constants that nodes of a kind take."""
        return [one for inputs in self.inputs(kind) for one in inputs if one is not None]


def _set(parameter: Tensor, value: NDArray[np.floating]) -> None:
    parameter.copy_(torch.tensor(value).reshape(parameter.shape))


def _read_decoder(nano: Nano, graph: _Graph) -> None:
    config = nano.config
    norms = graph.constants("SkipSimplifiedLayerNormalization")
    if len(norms) != 2 * config.layers + 1 or len(graph.linears) != 6 * config.layers:
        raise ValueError(f"{DECODER} is no decoder of {config.layers} layers")
    integers, scale = graph.constants("Gather")[:2]
    step = scale[:, 0] / math.sqrt(config.width)
    _set(nano.embedding.weight, integers * step[:, None])
    for number, block in enumerate(nano.decoder()):
        layer = _Layer(block, config)
        layer.read_norms(*norms[2 * number : 2 * number + 2])
        layer.read_linears(graph.linears[6 * number : 6 * number + 6])
    shape = (config.heads + config.kv_heads, config.head_dim)
    scales = [one for one in graph.constants("Mul") if one.shape == shape]
    # Of each layer queries with keys, then shares with values; the logits come last.
    units = graph.between[: 2 * config.layers : 2]
    for block, both, unit in zip(nano.decoder(), scales, units, strict=True):
        _read_head_norms(block.attention, both[0], both[config.heads], float(unit))
    _set(nano.norm.weight, norms[-1] * float(np.mean(graph.between[-1] / step)))


def _read_head_norms(attention: Attention, query: Array, key: Array, score_unit: float) -> None:
    """Norms in their steps; the product of both steps is known."""
    most = math.sqrt(score_unit * math.sqrt(attention.dim) * ACTIVATION_MOST * WEIGHT_MOST) / HEAD_MOST
    _set(attention.norm_q.weight, query * (most * HEAD_MOST / ACTIVATION_MOST))
    _set(attention.norm_k.weight, key * (most * HEAD_MOST / WEIGHT_MOST))


class _Layer:
    """Reads one block."""

    _UNIT = NORMED_MOST / ACTIVATION_MOST
    """A step of activations behind a norm whose weights have a mean square of 1."""

    def __init__(self, block: Block, config: NanoConfig):
        self.block, self.config = block, config

    def read_norms(self, before_attention: Array, before_mlp: Array) -> None:
        _set(self.block.norm_in.weight, before_attention * self._UNIT)
        _set(self.block.norm_mlp.weight, before_mlp * self._UNIT)

    def read_linears(self, linears: list[tuple[Array, Array]]) -> None:
        """Queries with keys, values, output of attention, gate, up, down."""
        (pair, pair_scale), (values, _), (out, out_scale), *gate_up, (down, down_scale) = linears
        queries_keys = pair * pair_scale[:, None] / self._UNIT
        value, steps = self._values(values, float(np.sqrt(np.mean(queries_keys**2))))
        attention = self.block.attention
        _set(attention.qkv.weight, np.concatenate([queries_keys, value]))
        heads, kv_heads = self.config.heads, self.config.kv_heads
        of_heads = np.repeat(steps.reshape(kv_heads, -1), heads // kv_heads, axis=0).flatten()
        _set(attention.out.weight, out * out_scale[:, None] / (HALF * of_heads))
        opened = [integers * scale[:, None] for integers, scale in gate_up]
        _set(self.block.gate_up.weight, np.concatenate(opened) / self._UNIT)
        _set(self.block.down.weight, down * down_scale[:, None])

    def _values(self, padded: Array, size: float) -> tuple[Array, Array]:
        """Weights (kv heads × dim, width) of the values, and the export's step of each channel.

        The scale of a channel is free, since the output layer has its inverse: all get the root mean square ``size``.
        """
        config = self.config
        integers = padded.reshape(config.kv_heads, config.head_dim + 1, -1)[:, :-1].reshape(-1, config.width)
        weight = integers * (size / np.sqrt(np.mean(integers**2, axis=1, keepdims=True)))
        return weight, value_steps(torch.tensor(weight), self.block.norm_in.weight).numpy()


def _read_encoder(encoder: ReadingEncoder, lookahead: nn.Linear, graph: _Graph) -> None:
    _set(encoder.feature_mean, graph.constants("Sub")[0][:CHANNELS])
    _set(encoder.feature_std, graph.constants("Div")[0][:CHANNELS])
    (features, feature_scale), (boxes, box_scale), (ahead, ahead_scale) = graph.linears
    _set(encoder.features.weight, features * feature_scale[:, None])
    _set(encoder.boxes.weight, boxes * box_scale[:, None] * ACTIVATION_MOST)
    _set(lookahead.weight, ahead * ahead_scale[:, None])
