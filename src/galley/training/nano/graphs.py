"""The decoder's two inference computations, written so that they export to ONNX as they are, and run in torch."""

from __future__ import annotations


import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor, nn

from galley.targets.nano.target import Floats
from galley.training.nano.model import Nano, rotary, rotate


class PrefillGraph(nn.Module):
    """A prompt whose slots all see each other; all but the last are reading tokens."""

    def __init__(self, nano: Nano):
        super().__init__()
        self.nano = nano

    def forward(self, ids: Tensor, features: Tensor, boxes: Tensor, positions: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """ids, positions (P,); features (P − 1, bins × channels), boxes (P − 1, 4) → logits (vocabulary,) of the last
        slot, keys and values (layers, kv heads, P, head dim)."""
        x = self.nano.embed(ids) + F.pad(self.nano.eyes(features, boxes), (0, 0, 0, 1))
        nothing = x.new_zeros(self.nano.config.layers, self.nano.config.kv_heads, 0, self.nano.config.head_dim)
        free = x.new_zeros(ids.shape[0], ids.shape[0])
        x, keys, values = _decode(self.nano, x, positions, free, nothing, nothing)
        return self.nano.logits(x[-1]), keys, values


class WindowGraph(nn.Module):
    """A window after a past that is passed in whole buffers and never copied."""

    def __init__(self, nano: Nano):
        super().__init__()
        self.nano = nano

    def forward(
        self, ids: Tensor, positions: Tensor, sees: Tensor, keys: Tensor, values: Tensor, length: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """ids, positions (n,); sees (n, n) bool; keys, values (layers, kv heads, capacity, head dim), of which the first
        ``length`` slots count → logits (n, vocabulary) and the window's own keys and values."""
        used = torch.arange(keys.shape[2], device=ids.device) < length
        visible = torch.cat([used[None].expand(sees.shape[0], -1), sees], dim=1)
        bias = torch.zeros_like(visible, dtype=keys.dtype).masked_fill(~visible, -1e9)
        x, new_keys, new_values = _decode(self.nano, self.nano.embed(ids), positions, bias, keys, values)
        return self.nano.logits(x), new_keys, new_values


def _decode(
    nano: Nano, x: Tensor, positions: Tensor, bias: Tensor, past_keys: Tensor, past_values: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """All blocks over (n, width) inputs; ``bias`` is (n, past + n)."""
    config = nano.config
    cos, sin = rotary(positions[None], config.head_dim, config.rope_theta)
    cos, sin = cos[0, 0], sin[0, 0]
    keys, values = [], []
    for number in range(config.layers):
        block = nano.blocks[number]
        attention = block.attention
        n = x.shape[0]
        qkv = attention.qkv(block.norm_in(x)).view(n, -1, config.head_dim).transpose(0, 1)
        q, k, v = qkv.split([config.heads, config.kv_heads, config.kv_heads])
        q, k = rotate(attention.norm_q(q), cos, sin), rotate(attention.norm_k(k), cos, sin)
        y = _attend(q, k, v, past_keys[number], past_values[number], bias)
        x = x + attention.out(y.transpose(0, 1).reshape(n, -1))
        gate, up = block.gate_up(block.norm_mlp(x)).chunk(2, dim=-1)
        x = x + block.down(F.silu(gate) * up)
        keys.append(k)
        values.append(v)
    return nano.norm(x), torch.stack(keys), torch.stack(values)


def _attend(q: Tensor, k: Tensor, v: Tensor, past_k: Tensor, past_v: Tensor, bias: Tensor) -> Tensor:
    """Grouped-query attention over past and window without joining their buffers: scores are joined instead, and the
    weighted sums added. q (heads, n, dim); k, v (kv heads, n, dim); past (kv heads, capacity, dim) → (heads, n, dim)."""
    heads, n, dim = q.shape
    grouped = q.reshape(k.shape[0], -1, dim) * dim**-0.5
    scores = torch.cat([grouped @ past_k.transpose(1, 2), grouped @ k.transpose(1, 2)], dim=-1)
    shares = (scores.view(heads, n, -1) + bias).softmax(dim=-1).view(k.shape[0], -1, scores.shape[-1])
    past = past_k.shape[1]
    return (shares[..., :past] @ past_v + shares[..., past:] @ v).view(heads, n, dim)


class TorchGraphs:
    """The graphs run by torch in fp32: validation while training, and the reference for the ONNX export."""

    def __init__(self, nano: Nano):
        self._prefill, self._window = PrefillGraph(nano), WindowGraph(nano)

    @torch.inference_mode()
    def prefill(
        self, ids: NDArray[np.int64], features: NDArray[np.float16], boxes: Floats, positions: NDArray[np.int64]
    ) -> tuple[Floats, Floats, Floats]:
        return _numpy(self._prefill(*_tensors(ids, features.astype(np.float32), boxes, positions)))

    @torch.inference_mode()
    def window(
        self,
        ids: NDArray[np.int64],
        positions: NDArray[np.int64],
        sees: NDArray[np.bool_],
        keys: Floats,
        values: Floats,
        length: int,
    ) -> tuple[Floats, Floats, Floats]:
        return _numpy(self._window(*_tensors(ids, positions, sees, keys, values), torch.tensor(length)))


def _tensors(*arrays: NDArray) -> tuple[Tensor, ...]:
    return tuple(torch.from_numpy(np.ascontiguousarray(array)) for array in arrays)


def _numpy(outputs: tuple[Tensor, Tensor, Tensor]) -> tuple[Floats, Floats, Floats]:
    logits, keys, values = (output.numpy() for output in outputs)
    return logits, keys, values
