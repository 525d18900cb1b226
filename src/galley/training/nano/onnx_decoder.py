"""The decoder's exported graph: new slots after a past, in integers wherever slots meet.

Three things are summed over many slots or channels: linear layers, attention scores, and values weighted by
attention. All three are integer products. Shares of attention have eight bits, relative to the largest; their sum
comes out of the same product, from a column of ones beside the values. Everything else works row by row.
"""

from __future__ import annotations

import math

import numpy as np
import onnx
import torch
from onnx import TensorProto
from torch import Tensor

from galley.training.nano.model import Attention, Block, Nano, Norm
from galley.training.nano.onnx_parts import (
    ACTIVATION_MOST,
    FUSED,
    WEIGHT_MOST,
    ZERO,
    Builder,
    floats,
    ints,
    quantise,
)

POSITIONS = 4096
"""Later positions count as the last."""

NORMED_MOST = 8.0
"""What a normalised channel may be, in its root mean square; beyond it is cut off."""
HEAD_MOST = 5.0
"""The same for a channel of a normalised query or key."""
VALUE_MOST = 6.0
"""The same for values, in the spread that their weights give to independent channels."""
_SHARE_MOST = 255
HALF = 0.5
"""Steps of the values that one step of their weighted mean is worth."""
_MARGIN = 8.0
"""In logarithms: with it, what is not seen is below half a step of a share."""


def decoder_graph(nano: Nano) -> onnx.ModelProto:
    """The graph of ``galley.targets.nano.target.Forward.__call__``; each layer's past is an input of its own."""
    return _Decoder(nano).model()


class _Decoder:
    def __init__(self, nano: Nano) -> None:
        self.nano, self.config, self.build = nano, nano.config, Builder()
        build, heads, kv_heads = self.build, self.config.heads, self.config.kv_heads
        self.slots = build.op("Shape", "ids")
        self.per_head = build.op("Concat", ints(heads), self.slots, ints(-1), axis=0)
        self.per_row = build.op("Concat", build.op("Mul", self.slots, ints(heads)), ints(-1), axis=0)
        grouped = build.op("Mul", self.slots, ints(heads // kv_heads))
        self.per_kv_head = build.op("Concat", ints(kv_heads), grouped, ints(-1), axis=0)
        self.no_shares = build.op("Expand", np.zeros(1, np.uint8), build.op("Mul", self.slots, ints(heads)))
        self.hidden_from = self._mask()
        self.turns = self._turns()

    def model(self) -> onnx.ModelProto:
        build, config = self.build, self.config
        table, step = quantise(self.nano.embedding.weight)
        scale = floats(step * math.sqrt(config.width))[:, None]
        ids = build.op("Cast", build.op("Gather", table, "ids"), to=TensorProto.FLOAT)
        x, more = build.op("Mul", ids, build.op("Gather", scale, "ids")), "given"
        keys, values = [], []
        for layer, block in enumerate(self.nano.decoder()):
            x, more, key, value = self._block(layer, block, x, more)
            keys.append(build.op("Unsqueeze", key, ints(0)))
            values.append(build.op("Unsqueeze", value, ints(0)))
        _, normed, unit = self._normed(self.nano.norm, x, more)
        # The table is stored once; the transposed one is made when the model is loaded.
        words = build.op("Transpose", table, perm=[1, 0])
        logits = build.product(build.op("Gather", normed, "wanted"), words, step * unit)
        outputs = {
            "logits": (logits, TensorProto.FLOAT),
            "new_keys": (build.op("Concat", *keys, axis=0), TensorProto.INT8),
            "new_values": (build.op("Concat", *values, axis=0), TensorProto.INT8),
        }
        return build.model(self._inputs(), outputs)

    def _inputs(self) -> dict[str, tuple[int, list[str | int]]]:
        config = self.config
        inputs: dict[str, tuple[int, list[str | int]]] = {
            "ids": (TensorProto.INT64, ["slots"]),
            "positions": (TensorProto.INT64, ["slots"]),
            "given": (TensorProto.FLOAT, ["slots", config.width]),
            "sees": (TensorProto.BOOL, ["slots", "slots"]),
            "length": (TensorProto.INT64, []),
            "wanted": (TensorProto.INT64, ["wanted"]),
        }
        for layer in range(config.layers):
            inputs[f"keys_{layer}"] = (TensorProto.INT8, [config.kv_heads, config.head_dim, "capacity"])
            inputs[f"values_{layer}"] = (TensorProto.INT8, [config.kv_heads, "capacity", config.head_dim + 1])
        return inputs

    def _mask(self) -> str:
        """Add the mask (slots, capacity + slots) of the attention scores.

        It is 0 where a slot sees another. Elsewhere it is so low that the share is 0, and yet high enough for its
        exponential not to be a denormal number.
        """
        build = self.build
        capacity = build.op("Shape", "keys_0", start=2, end=3)
        past = build.op("Range", np.int64(0), build.op("Squeeze", capacity), np.int64(1))
        used = build.op(
            "Expand", build.op("Less", past, "length"), build.op("Concat", self.slots, capacity, axis=0)
        )
        visible = build.op("Concat", used, "sees", axis=1)
        most = max(_most_score(block.attention) for block in self.nano.decoder())
        if most > 80:
            raise ValueError(f"attention scores of up to {most:.0f} do not fit the exported graph")
        return build.op("Where", visible, floats(0), floats(-2 * most - _MARGIN))

    def _turns(self) -> list[str]:
        """Positions (1, slots) and the cosines and sines of every position, made when the model is loaded."""
        build, config = self.build, self.config
        positions = build.op("Min", "positions", np.int64(POSITIONS - 1))
        every = build.op("Cast", build.op("Range", *map(np.int64, (0, POSITIONS, 1))), to=TensorProto.FLOAT)
        rates = config.rope_theta ** (-np.arange(0, config.head_dim, 2) / config.head_dim)
        angles = build.op("Mul", build.op("Unsqueeze", every, ints(1)), floats(rates[None]))
        return [build.op("Unsqueeze", positions, ints(0)), build.op("Cos", angles), build.op("Sin", angles)]

    def _block(self, layer: int, block: Block, x: str, more: str) -> tuple[str, str, str, str]:
        """One block over ``x + more``: (sum so far, what to add to it, new keys, new values)."""
        build, config = self.build, self.config
        x, normed, unit = self._normed(block.norm_in, x, more)
        query, key, score_unit = self._queries_keys(block.attention, normed, unit)
        value, value_step = self._values(block, normed, unit)
        seen_keys = build.op("Concat", f"keys_{layer}", key, axis=2)
        seen_values = build.op("Concat", f"values_{layer}", value, axis=1)
        found = self._attended(query, seen_keys, seen_values, score_unit)
        steps = value_step.view(config.kv_heads, 1, -1).expand(-1, config.heads // config.kv_heads, -1)
        more = build.linear(build.quantised(found), block.attention.out.weight * steps.flatten(), HALF)
        x, normed, unit = self._normed(block.norm_mlp, x, more)
        gate, up = (build.linear(normed, part, unit) for part in block.gate_up.weight.chunk(2))
        opened = build.op("Mul", build.op("QuickGelu", gate, domain=FUSED, alpha=1.0), up)
        hidden, step = build.quantised_rows(opened)
        return x, build.op("Mul", build.linear(hidden, block.down.weight), step), key, value

    def _normed(self, norm: Norm, x: str, more: str) -> tuple[str, str, float]:
        """``x + more``, the same normalised and quantised, and the step of that."""
        weight = norm.weight.detach()
        unit = float(weight.square().mean().sqrt()) * NORMED_MOST / ACTIVATION_MOST
        normed, _, _, total = self.build.ops(
            4,
            "SkipSimplifiedLayerNormalization",
            x,
            more,
            floats(weight / unit),
            domain=FUSED,
            epsilon=norm.eps,
        )
        return total, self.build.quantised(normed), unit

    def _queries_keys(self, attention: Attention, normed: str, unit: float) -> tuple[str, str, float]:
        """Add queries and keys, turned to their positions.

        Returns:
            Queries (kv heads, heads per kv head × slots, dim), keys (kv heads, dim, slots), and what one step of their
            product is as a score.
        """
        build, config = self.build, self.config
        both = config.heads + config.kv_heads
        weight = attention.qkv.weight[: both * config.head_dim]
        x = build.reshape(build.linear(normed, weight, unit), 0, both, config.head_dim)
        x = build.op(
            "SimplifiedLayerNormalization", x, floats(np.ones(config.head_dim)), epsilon=config.norm_eps
        )
        query_step = _head_step(attention.norm_q, ACTIVATION_MOST)
        key_step = _head_step(attention.norm_k, WEIGHT_MOST)
        scales = [attention.norm_q.weight / query_step] * config.heads
        scales += [attention.norm_k.weight / key_step] * config.kv_heads
        x = build.op("Mul", x, floats(torch.stack(scales).detach()))
        x = build.op(
            "RotaryEmbedding",
            build.reshape(x, 1, -1, both * config.head_dim),
            *self.turns,
            domain=FUSED,
            num_heads=both,
        )
        query, key = build.ops(
            2,
            "Split",
            build.reshape(x, -1, both, config.head_dim),
            ints(config.heads, config.kv_heads),
            axis=1,
        )
        query = build.op("Transpose", build.quantised(query), perm=[1, 0, 2])
        query = build.reshape(query, config.kv_heads, -1, config.head_dim)
        key = build.op("Transpose", self._seven_bits(key), perm=[1, 2, 0])
        return query, key, query_step * key_step / math.sqrt(config.head_dim)

    def _values(self, block: Block, normed: str, unit: float) -> tuple[str, Tensor]:
        """Values and a 1 (kv heads, slots, dim + 1) and the step of each channel (kv heads × dim,)."""
        build, config = self.build, self.config
        kv_heads, dim = config.kv_heads, config.head_dim
        weight = block.attention.qkv.weight[-kv_heads * dim :].detach()
        step = value_steps(weight, block.norm_in.weight.detach())
        small, scale = quantise(weight)
        padded = np.zeros((kv_heads, dim + 1, config.width), np.int8)
        padded[:, :dim] = small.reshape(kv_heads, dim, -1)
        scales, ones = np.zeros((2, kv_heads, dim + 1), np.float32)
        scales[:, :dim] = (scale * unit / step.numpy()).reshape(kv_heads, dim)
        ones[:, dim] = 1
        product = build.op(
            "MatMulIntegerToFloat",
            normed,
            padded.reshape(-1, config.width).T,
            floats(1),
            scales.flatten(),
            ZERO,
            "",
            ones.flatten(),
            domain=FUSED,
        )
        value = self._seven_bits(build.reshape(product, 0, kv_heads, dim + 1))
        return build.op("Transpose", value, perm=[1, 0, 2]), step

    def _seven_bits(self, value: str) -> str:
        cut = self.build.op("Clip", value, floats(-WEIGHT_MOST), floats(WEIGHT_MOST))
        return self.build.op("QuantizeLinear", cut, floats(1), np.int8(0))

    def _attended(self, query: str, keys: str, values: str, score_unit: float) -> str:
        """(slots, heads × dim) in half steps of the values."""
        build, config = self.build, self.config
        scores = build.op("Reshape", build.product(query, keys, score_unit), self.per_head)
        # Normalised queries and keys bound the scores, so that nothing need be subtracted first.
        shares = build.op("Exp", build.op("Add", scores, self.hidden_from))
        most = build.reshape(build.op("ReduceMax", shares, ints(-1), keepdims=0), -1)
        step = build.op("Mul", most, floats(1 / _SHARE_MOST))
        rows = build.op("Reshape", shares, self.per_row)
        shares = build.op("QuantizeLinear", rows, step, self.no_shares, axis=0)
        found = build.product(build.op("Reshape", shares, self.per_kv_head), values, 1.0, zero=np.uint8(0))
        sums, total = build.ops(2, "Split", found, ints(config.head_dim, 1), axis=2)
        mean = build.op("Div", sums, build.op("Mul", total, floats(HALF)))
        mean = build.op("Transpose", build.op("Reshape", mean, self.per_head), perm=[1, 0, 2])
        return build.reshape(mean, -1, config.heads * config.head_dim)


def value_steps(weight: Tensor, norm: Tensor) -> Tensor:
    """The step of each channel of the values (m,), for their weight (m, k) and that of the norm before it (k,)."""
    return (weight * norm).norm(dim=1) * VALUE_MOST / WEIGHT_MOST


def _head_step(norm: Norm, most: int) -> float:
    return float(norm.weight.detach().abs().max()) * HEAD_MOST / most


def _most_score(attention: Attention) -> float:
    """No score exceeds this: a query and a key are normalised vectors times their weights."""
    query, key = (norm.weight.detach().abs().max() for norm in (attention.norm_q, attention.norm_k))
    return float(query * key) * math.sqrt(attention.dim)
