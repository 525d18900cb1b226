"""What ``block_diffusion.json`` must say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from galley.errors import ModelError
from galley.targets.transformers.selfspec import read_self_speculation


class Words:
    def __init__(self, mask: str = "<|mask|>") -> None:
        self._vocabulary = {"a": 0, mask: 7}

    def get_vocab(self) -> dict[str, int]:
        return self._vocabulary


GOOD: dict[str, Any] = {"bd_size": 32, "mask_id": 7, "ar_loss_weight": 1.0, "mask_schedule": "uniform"}


def read(folder: Path, words: Words | None = None, rows: int = 8, **changes: Any) -> Any:
    path = folder / "block_diffusion.json"
    path.write_text(json.dumps({key: value for key, value in (GOOD | changes).items() if value is not ...}))
    return read_self_speculation(path, words or Words(), rows)


def test_a_good_file(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert (found.mask_id, found.block_size) == (7, 32)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"mask_id": 6}, "mask_id is 6, but the tokenizer's <|mask|> is 7"),
        ({"mask_id": ...}, "mask_id is None"),
        ({"mask_id": "7"}, "must be a whole number"),
        ({"ar_loss_weight": 0}, "cannot|can verify its own drafts"),
        ({"ar_loss_weight": ...}, "ar_loss_weight is None"),
        ({"ar_loss_weight": float("nan")}, "ar_loss_weight is nan"),
        ({"ar_loss_weight": float("inf")}, "ar_loss_weight is inf"),
        ({"bd_size": 0}, "bd_size is 0"),
        ({"bd_size": 100_000}, "bd_size is 100000"),
        ({"bd_size": True}, "bd_size is True"),
        ({"rows": 7}, "no embedding"),
        ({"words": Words("<mask>")}, "has no <|mask|> token".replace("|", r"\|")),
    ],
)
def test_each_fault_is_named(tmp_path: Path, changes: dict[str, Any], complaint: str) -> None:
    pattern = complaint if "\\" in complaint else complaint.replace("<|mask|>", r"<\|mask\|>")
    with pytest.raises(ModelError, match=pattern) as caught:
        read(tmp_path, **changes)
    assert "\n" not in str(caught.value) and "block_diffusion.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[1]", "{", '"text"'])
def test_a_broken_file(tmp_path: Path, text: str) -> None:
    path = tmp_path / "block_diffusion.json"
    path.write_text(text)
    with pytest.raises(ModelError, match=r"block_diffusion\.json"):
        read_self_speculation(path, Words(), 8)


def test_a_checkpoint_that_drafts_for_itself(
    checkpoint: Callable[[str], Path], target: Callable[[str], Any]
) -> None:
    drafting = target("gravity_ocr")
    assert drafting.block_size == 4
    assert drafting.mask_id == drafting.tokenizer.convert_tokens_to_ids("<|mask|>")
    plain = target("glm_ocr")
    assert plain.mask_id is None and plain.block_size is None
