"""The embedded decoder in torch: training, export to ONNX and reference for its tests.

Llama-like blocks (RMSNorm, grouped-query attention with normalised queries and keys and rotary positions,
SwiGLU), tied embeddings. A reading token enters as the sum of its embedding, its features and its box; every
other slot also takes in the reading token that is expected next, the one its position names.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.flex_attention import BlockMask, flex_attention

from galley.targets.nano.config import NanoConfig
from galley.targets.nano.reading import BINS, CHANNELS
from galley.training.masks import DocumentMask

Mask = list[DocumentMask] | BlockMask


def rotary(positions: Tensor, dim: int, theta: float) -> tuple[Tensor, Tensor]:
    """Cosines and sines (batch, 1, slots, dim) of positions (batch, slots).

    They are float32 whatever the weights' type.
    """
    rates = theta ** (-torch.arange(0, dim, 2, dtype=torch.float32, device=positions.device) / dim)
    angles = positions[..., None].float() * rates
    angles = torch.cat([angles, angles], dim=-1)[:, None]
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn queries or keys to their positions."""
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cos.to(x.dtype) + turned * sin.to(x.dtype)


class Norm(nn.Module):
    """RMSNorm in its input's type, which under autocast is not the weight's."""

    def __init__(self, width: int, eps: float):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        """Normalise the last axis."""
        return F.rms_norm(x, self.weight.shape, self.weight.to(x.dtype), self.eps)


class Attention(nn.Module):
    """Grouped-query attention with normalised queries and keys."""

    def __init__(self, config: NanoConfig):
        super().__init__()
        self.dim = config.head_dim
        self.parts = [config.heads, config.kv_heads, config.kv_heads]
        self.qkv = nn.Linear(config.width, sum(self.parts) * self.dim, bias=False)
        self.norm_q = Norm(self.dim, config.norm_eps)
        self.norm_k = Norm(self.dim, config.norm_eps)
        self.out = nn.Linear(config.heads * self.dim, config.width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Mask) -> Tensor:
        """Attend within the mask; x is (batch, slots, width)."""
        batch, slots, _ = x.shape
        q, k, v = self.qkv(x).view(batch, slots, -1, self.dim).transpose(1, 2).split(self.parts, dim=1)
        q, k = rotate(self.norm_q(q), cos, sin), rotate(self.norm_k(k), cos, sin)
        return self.out(attend(q, k, v, mask).transpose(1, 2).flatten(2))


def attend(q: Tensor, k: Tensor, v: Tensor, mask: Mask) -> Tensor:
    """Grouped-query attention: SDPA document by document (CPU), FlexAttention with a block mask (CUDA)."""
    if isinstance(mask, BlockMask):
        return compiled_flex()(q, k, v, block_mask=mask, enable_gqa=True)
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    rows: list[list[Tensor]] = [[] for _ in q]
    for row, start, end, bias in mask:
        of = slice(row, row + 1), slice(None), slice(start, end)
        rows[row].append(F.scaled_dot_product_attention(q[of], k[of], v[of], attn_mask=bias))
    return torch.cat([torch.cat(parts, dim=2) for parts in rows])


@lru_cache
def compiled_flex() -> Callable[..., Tensor]:
    """FlexAttention, compiled once."""
    return cast(Callable[..., Tensor], torch.compile(flex_attention))


class Block(nn.Module):
    """One layer: attention, then a gated feed-forward part."""

    def __init__(self, config: NanoConfig):
        super().__init__()
        self.norm_in = Norm(config.width, config.norm_eps)
        self.attention = Attention(config)
        self.norm_mlp = Norm(config.width, config.norm_eps)
        self.gate_up = nn.Linear(config.width, 2 * config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, config.width, bias=False)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, mask: Mask) -> Tensor:
        """Run the layer; x is (batch, slots, width)."""
        x = x + self.attention(self.norm_in(x), cos, sin, mask)
        gate, up = self.gate_up(self.norm_mlp(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


class ReadingEncoder(nn.Module):
    """Features and boxes of reading tokens → model width."""

    feature_mean: Tensor
    feature_std: Tensor

    def __init__(self, config: NanoConfig):
        super().__init__()
        self.waves = config.box_waves
        self.register_buffer("feature_mean", torch.zeros(CHANNELS))
        self.register_buffer("feature_std", torch.ones(CHANNELS))
        self.features = nn.Linear(BINS * CHANNELS, config.width, bias=False)
        self.boxes = nn.Linear(4 * 2 * self.waves, config.width, bias=False)

    def forward(self, features: Tensor, boxes: Tensor) -> Tensor:
        """Features (…, BINS × CHANNELS), all-zero rows have none; boxes (…, 4) in line heights."""
        shown = (features != 0).any(-1, keepdim=True)
        bins = features.float().unflatten(-1, (BINS, CHANNELS))
        normal = ((bins - self.feature_mean) / self.feature_std).flatten(-2) * shown
        lengths = 2.0 ** torch.arange(1, self.waves + 1, dtype=torch.float32, device=boxes.device)
        angles = boxes.float()[..., None] * (2 * math.pi / lengths)
        waves = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        return cast(Tensor, self.features(normal) + self.boxes(waves))


class Nano(nn.Module):
    """The decoder. ``logits[…, slot]`` predict the token of the next slot."""

    def __init__(self, config: NanoConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.width)
        self.encoder = ReadingEncoder(config)
        self.lookahead = nn.Linear(config.width, config.width, bias=False)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.layers)])
        self.norm = Norm(config.width, config.norm_eps)
        self.apply(self._init)

    def _init(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, Block):
            for layer in (module.attention.out, module.down):
                nn.init.normal_(layer.weight, std=0.02 / math.sqrt(2 * self.config.layers))
        if isinstance(module, ReadingEncoder):
            nn.init.normal_(module.features.weight, std=0.01)
        if isinstance(module, Nano):
            # The expected token as it is: copying the reading need not be learnt.
            nn.init.eye_(module.lookahead.weight)

    def embed(self, ids: Tensor) -> Tensor:
        """Input vectors of ids, at the scale of features and boxes."""
        return cast(Tensor, self.embedding(ids)) * math.sqrt(self.config.width)

    def decoder(self) -> list[Block]:
        """The layers in their order."""
        return cast(list[Block], list(self.blocks))

    def hidden(self, x: Tensor, positions: Tensor, mask: Mask) -> Tensor:
        """Final states (batch, slots, width).

        Args:
            x: Inputs (batch, slots, width).
            positions: (batch, slots).
            mask: As ``galley.training.masks`` makes it.
        """
        cos, sin = rotary(positions, self.config.head_dim, self.config.rope_theta)
        for block in self.decoder():
            x = block(x, cos, sin, mask)
        return cast(Tensor, self.norm(x))

    def logits(self, hidden: Tensor) -> Tensor:
        """Logits of states; the output weights are those of the embedding."""
        return F.linear(hidden, self.embedding.weight)
