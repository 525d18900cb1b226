"""A multi-token-prediction head: one extra decoder layer, as GLM-OCR has, and its tensors in a checkpoint.

Transformers drops these tensors on loading, so they are read from the checkpoint itself.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor, nn

from galley.errors import ModelError
from galley.targets.profiles import Profile
from galley.targets.transformers.slots import WindowCache

_WEIGHTS, _INDEX = "model.safetensors", "model.safetensors.index.json"


class MtpHead(nn.Module):
    """The head's layers.

    Two norms, the projection of the pair, a decoder layer of the model's own class, and the norm before the LM head.
    """

    def __init__(self, config: Any, layer: type[nn.Module], norm: type[nn.Module]) -> None:
        super().__init__()
        self.enorm = norm(config.hidden_size, eps=config.rms_norm_eps)
        self.hnorm = norm(config.hidden_size, eps=config.rms_norm_eps)
        self.eh_proj = nn.Linear(2 * config.hidden_size, config.hidden_size, bias=False)
        # Its keys live in slots of their own, where it is the only layer.
        self.block = layer(config, layer_idx=0)
        self.norm = norm(config.hidden_size, eps=config.rms_norm_eps)

    def forward(
        self,
        embedded: Tensor,
        hidden: Tensor,
        rotary: tuple[Tensor, Tensor],
        mask: Tensor | None,
        cache: WindowCache,
    ) -> Tensor:
        """Run the head.

        Args:
            embedded: (batch, n, hidden) embeddings of tokens.
            hidden: (batch, n, hidden) hidden states of the tokens before them.
            rotary: cosines and sines of the positions.
            mask: additive attention mask, or None.
            cache: the head's keys and values.

        Returns:
            (batch, n, hidden), ready for the LM head.
        """
        pair = self.eh_proj(torch.cat([self.enorm(embedded), self.hnorm(hidden)], dim=-1))
        return self.norm(self.block(pair, position_embeddings=rotary, attention_mask=mask, cache=cache))


def read_mtp_head(folder: Path, model: Any, profile: Profile) -> MtpHead | None:
    """The head of the checkpoint in ``folder``; None where its family, its config or its tensors have none.

    Args:
        folder: the checkpoint's.
        model: the loaded model, whose decoder layer class and config the head shares.
        profile: the model's family.
    """
    config = model.config.get_text_config()
    if profile.mtp_tensors is None or not getattr(config, "num_nextn_predict_layers", 0):
        return None
    tensors = _tensors(folder, profile.mtp_tensors.format(layers=config.num_hidden_layers))
    if not tensors:
        return None
    text = model.get_decoder()
    head = MtpHead(text.config, type(text.layers[-1]), type(text.norm))
    ours = {_renamed(key): value for key, value in tensors.items() if not _shared(key)}
    missing, unexpected = head.load_state_dict(ours, strict=False)
    if missing or unexpected:
        wrong = ", ".join([*missing, *unexpected])
        raise ModelError(f"{folder}: its multi-token-prediction head does not fit the model ({wrong})")
    weight = text.embed_tokens.weight
    return head.to(weight.device, weight.dtype).eval()


def _tensors(folder: Path, prefix: str) -> dict[str, Tensor]:
    index = folder / _INDEX
    if index.is_file():
        weight_map = json.loads(index.read_text(encoding="utf-8"))["weight_map"]
        files = sorted({file for key, file in weight_map.items() if key.startswith(prefix)})
    else:
        files = [_WEIGHTS]
    found: dict[str, Tensor] = {}
    for file in files:
        with safe_open(str(folder / file), framework="pt") as stored:
            for key in stored.keys():  # noqa: SIM118 - not a mapping
                if key.startswith(prefix):
                    found[key.removeprefix(prefix)] = stored.get_tensor(key)
    return found


def _shared(key: str) -> bool:
    """Copies of the model's own embedding and LM head."""
    return key.startswith(("embed_tokens.", "shared_head.head."))


def _renamed(key: str) -> str:
    if key.startswith(("enorm.", "hnorm.", "eh_proj.")):
        return key
    return key.replace("shared_head.norm.", "norm.") if key.startswith("shared_head.") else f"block.{key}"
