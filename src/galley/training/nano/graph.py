"""The decoder's inference computation in torch and float32.

It validates while training and is the reference for the exported graphs.
"""

from __future__ import annotations

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from torch import Tensor

from galley.targets.nano.target import Buffer, Floats
from galley.training.nano.model import Nano, rotary, rotate


class TorchForward:
    """See ``galley.targets.nano.target.Forward`` for the shapes; the past is never copied."""

    def __init__(self, nano: Nano):
        self.nano = nano

    @torch.inference_mode()
    def encode(self, ids: NDArray[np.int64], features: Floats, boxes: Floats) -> tuple[Floats, Floats]:
        """Encode the reading: its token ids, features and boxes."""
        encoded = self.nano.encoder(torch.from_numpy(features), torch.from_numpy(boxes))
        lookahead = self.nano.lookahead(self.nano.embed(torch.from_numpy(ids)) + encoded)
        return encoded.numpy(), lookahead.numpy()

    def no_past(self) -> tuple[Buffer, Buffer]:
        """Empty keys and values."""
        config = self.nano.config
        none = np.zeros((config.layers, config.kv_heads, 0, config.head_dim), np.float32)
        return none.swapaxes(2, 3), none

    @torch.inference_mode()
    def __call__(self, *, keys: Buffer, values: Buffer, **arrays: NDArray) -> tuple[Floats, Buffer, Buffer]:
        """Run the decoder over a window."""
        arrays |= {"keys": keys, "values": values}
        found = self._forward(**{name: torch.from_numpy(array) for name, array in arrays.items()})
        logits, new_keys, new_values = (part.numpy() for part in found)
        return logits, new_keys, new_values

    def _forward(
        self,
        ids: Tensor,
        positions: Tensor,
        given: Tensor,
        sees: Tensor,
        keys: Tensor,
        values: Tensor,
        length: Tensor,
        wanted: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        used = torch.arange(values.shape[2], device=ids.device) < length
        visible = torch.cat([used[None].expand(sees.shape[0], -1), sees], dim=1)
        bias = torch.zeros_like(visible, dtype=torch.float32).masked_fill(~visible, -1e9)
        x = self.nano.embed(ids) + given
        x, new_keys, new_values = self._blocks(x, positions, bias, keys, values)
        return self.nano.logits(x[wanted]), new_keys, new_values

    def _blocks(
        self, x: Tensor, positions: Tensor, bias: Tensor, past_keys: Tensor, past_values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """All blocks over (n, width) inputs; ``bias`` is (n, capacity + n)."""
        config = self.nano.config
        cos, sin = (part[0, 0] for part in rotary(positions[None], config.head_dim, config.rope_theta))
        keys, values = [], []
        for number, block in enumerate(self.nano.decoder()):
            attention = block.attention
            qkv = attention.qkv(block.norm_in(x)).view(
                -1, config.heads + 2 * config.kv_heads, config.head_dim
            )
            q, k, v = qkv.transpose(0, 1).split([config.heads, config.kv_heads, config.kv_heads])
            q, k = rotate(attention.norm_q(q), cos, sin), rotate(attention.norm_k(k), cos, sin)
            y = _attend(q, k, v, past_keys[number], past_values[number], bias)
            x = x + attention.out(y.transpose(0, 1).flatten(1))
            gate, up = block.gate_up(block.norm_mlp(x)).chunk(2, dim=-1)
            x = x + block.down(F.silu(gate) * up)
            keys.append(k)
            values.append(v)
        return self.nano.norm(x), torch.stack(keys).transpose(2, 3), torch.stack(values)


def _attend(q: Tensor, k: Tensor, v: Tensor, past_k: Tensor, past_v: Tensor, bias: Tensor) -> Tensor:
    """Grouped-query attention over past and window without joining their buffers.

    Scores are joined instead, and the weighted sums added.

    Args:
        q: Queries (heads, n, dim).
        k: Keys of the window (kv heads, n, dim).
        v: Values of the window (kv heads, n, dim).
        past_k: Keys of the past (kv heads, dim, capacity).
        past_v: Values of the past (kv heads, capacity, dim).
        bias: What is added to the scores; −inf where a slot does not see another.

    Returns:
        (heads, n, dim).
    """
    kv_heads, n, dim = k.shape
    grouped = q.view(kv_heads, -1, n, dim) * dim**-0.5
    past_k, past_v, k, v = (part[:, None] for part in (past_k, past_v, k, v))
    scores = torch.cat([grouped @ past_k, grouped @ k.transpose(2, 3)], dim=-1)
    shares = (scores + bias).softmax(dim=-1)
    past = past_v.shape[2]
    return (shares[..., :past] @ past_v + shares[..., past:] @ v).flatten(0, 1)
