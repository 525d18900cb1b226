"""``block_diffusion.json``: what a checkpoint says about drafting for itself (GravityOCR)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from galley.decoding.drafters import LARGEST_BLOCK
from galley.errors import ModelError

FILE = "block_diffusion.json"
MASK_TOKEN = "<|mask|>"


@dataclass(frozen=True)
class BlockDiffusionSettings:
    """What the file says.

    Attributes:
        mask_id: the mask token.
        block_size: masks per drafting window, which has one slot more for its boundary.
    """

    mask_id: int
    block_size: int


def read_self_speculation(path: Path, tokenizer: Any, rows: int) -> BlockDiffusionSettings:
    """Read and check ``block_diffusion.json``.

    A wrong mask id would spoil every draft without changing the output, so it is an error here.

    Args:
        path: the file.
        tokenizer: the checkpoint's.
        rows: number of rows of the model's embedding.

    Raises:
        ModelError: what is wrong with the file.
    """
    settings = _settings(path)
    block_size = _whole(settings, "bd_size", path)
    mask_id = _whole(settings, "mask_id", path)
    weight = settings.get("ar_loss_weight")
    if not isinstance(weight, (int, float)) or isinstance(weight, bool) or not 0 < weight < math.inf:
        raise ModelError(
            f"{path}: ar_loss_weight is {weight!r}; only a checkpoint trained with a weight above 0 "
            "can verify its own drafts"
        )
    if not 1 <= block_size <= LARGEST_BLOCK:
        raise ModelError(f"{path}: bd_size is {block_size}; it must be 1 to {LARGEST_BLOCK}")
    expected = tokenizer.get_vocab().get(MASK_TOKEN)
    if expected is None:
        raise ModelError(f"{path}: the checkpoint's tokenizer has no {MASK_TOKEN} token to draft with")
    if mask_id != expected:
        raise ModelError(f"{path}: mask_id is {mask_id}, but the tokenizer's {MASK_TOKEN} is {expected}")
    if mask_id >= rows:
        raise ModelError(f"{path}: mask_id {mask_id} has no embedding; the model has {rows} rows")
    return BlockDiffusionSettings(mask_id, block_size)


def _settings(path: Path) -> dict[str, Any]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path} cannot be read as JSON: {error}") from error
    if not isinstance(settings, dict):
        raise ModelError(f"{path} must hold an object")
    return settings


def _whole(settings: dict[str, Any], key: str, path: Path) -> int:
    value = settings.get(key)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ModelError(f"{path}: {key} is {value!r}; it must be a whole number")
    return value
