"""The embedded decoder in torch: training, export to ONNX and reference for its tests.

Llama-like blocks (RMSNorm, grouped-query attention with normalised queries and keys and rotary positions, SwiGLU), tied
embeddings. A reading token enters
as the sum of its embedding, its features and its box.
"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from galley.targets.nano.config import NanoConfig
from galley.targets.nano.reading import BINS, CHANNELS

Cache = list[tuple[Tensor, Tensor]]
"""Keys and values of each layer, (batch, kv heads, slots, head dim), keys already rotated."""


def rotary(positions: Tensor, dim: int, theta: float) -> tuple[Tensor, Tensor]:
    """Cosines and sines (batch, 1, slots, dim) of positions (batch, slots), in fp32 whatever the weights' type."""
    rates = theta ** (-torch.arange(0, dim, 2, dtype=torch.float32, device=positions.device) / dim)
    angles = positions[..., None].float() * rates
    angles = torch.cat([angles, angles], dim=-1)[:, None]
    return angles.cos(), angles.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return x * cos.to(x.dtype) + turned * sin.to(x.dtype)


class Attention(nn.Module):
    def __init__(self, config: NanoConfig):
        super().__init__()
        self.heads, self.kv_heads, self.dim = config.heads, config.kv_heads, config.head_dim
        self.qkv = nn.Linear(config.width, (self.heads + 2 * self.kv_heads) * self.dim, bias=False)
        self.norm_q = nn.RMSNorm(self.dim, eps=config.norm_eps)
        self.norm_k = nn.RMSNorm(self.dim, eps=config.norm_eps)
        self.out = nn.Linear(self.heads * self.dim, config.width, bias=False)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """Attend to ``past`` and to the new slots; returns the output and the *new* slots' keys and values."""
        batch, slots, _ = x.shape
        sizes = [self.heads * self.dim, self.kv_heads * self.dim, self.kv_heads * self.dim]
        q, k, v = (
            part.view(batch, slots, -1, self.dim).transpose(1, 2) for part in self.qkv(x).split(sizes, dim=-1)
        )
        q, k = rotate(self.norm_q(q), cos, sin), rotate(self.norm_k(k), cos, sin)
        keys, values = (k, v) if past is None else (torch.cat([past[0], k], 2), torch.cat([past[1], v], 2))
        groups = self.heads // self.kv_heads
        keys, values = keys.repeat_interleave(groups, 1), values.repeat_interleave(groups, 1)
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(batch, slots, -1)), (k, v)


class Block(nn.Module):
    def __init__(self, config: NanoConfig):
        super().__init__()
        self.norm_in = nn.RMSNorm(config.width, eps=config.norm_eps)
        self.attention = Attention(config)
        self.norm_mlp = nn.RMSNorm(config.width, eps=config.norm_eps)
        self.gate_up = nn.Linear(config.width, 2 * config.hidden, bias=False)
        self.down = nn.Linear(config.hidden, config.width, bias=False)

    def forward(
        self, x: Tensor, cos: Tensor, sin: Tensor, mask: Tensor, past: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        attended, new = self.attention(self.norm_in(x), cos, sin, mask, past)
        x = x + attended
        gate, up = self.gate_up(self.norm_mlp(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up), new


class Eyes(nn.Module):
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
        """features (…, BINS × CHANNELS), all-zero rows have none; boxes (…, 4) in line heights."""
        shown = (features != 0).any(-1, keepdim=True)
        bins = features.float().unflatten(-1, (BINS, CHANNELS))
        normal = ((bins - self.feature_mean) / self.feature_std).flatten(-2) * shown
        lengths = 2.0 ** torch.arange(1, self.waves + 1, dtype=torch.float32, device=boxes.device)
        angles = boxes.float()[..., None] * (2 * math.pi / lengths)
        waves = torch.cat([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        return self.features(normal) + self.boxes(waves)


class Nano(nn.Module):
    """The decoder. ``logits[…, slot]`` predict the token of the next slot."""

    def __init__(self, config: NanoConfig):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.width)
        self.eyes = Eyes(config)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.layers)])
        self.norm = nn.RMSNorm(config.width, eps=config.norm_eps)
        self.apply(self._init)

    def _init(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, Block):
            for layer in (module.attention.out, module.down):
                nn.init.normal_(layer.weight, std=0.02 / math.sqrt(2 * self.config.layers))
        if isinstance(module, Eyes):
            nn.init.normal_(module.features.weight, std=0.01)

    def embed(self, ids: Tensor) -> Tensor:
        """Input vectors of ids, at the scale of features and boxes."""
        return self.embedding(ids) * math.sqrt(self.config.width)

    def hidden(self, x: Tensor, positions: Tensor, mask: Tensor, past: Cache | None = None) -> tuple[Tensor, Cache]:
        """Final states (batch, slots, width) and the new slots' keys and values.

        positions: (batch, slots). mask: (batch, 1, slots, past + slots), bool (true = sees) or additive.
        """
        cos, sin = rotary(positions, self.config.head_dim, self.config.rope_theta)
        new: Cache = []
        for layer, block in enumerate(self.blocks):
            x, kv = block(x, cos, sin, mask, past[layer] if past else None)
            new.append(kv)
        return self.norm(x), new

    def logits(self, hidden: Tensor) -> Tensor:
        return F.linear(hidden, self.embedding.weight)
