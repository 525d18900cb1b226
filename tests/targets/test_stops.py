"""Which tokens end a text: what the checkpoint says first, and what the family's profile adds."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from galley.targets.profiles import profile_for
from galley.targets.transformers.target import stop_ids_of


class Words:
    eos_token_id = 5

    def get_vocab(self) -> dict[str, int]:
        return {"a": 0, "<end>": 7, "<user>": 8}


def says(eos: Any) -> SimpleNamespace:
    return SimpleNamespace(eos_token_id=eos)


@pytest.mark.parametrize(
    ("configs", "profile_stops", "wanted"),
    [
        ([says(1), says(2)], (), {1}),
        ([says([1, 3]), says(2)], (), {1, 3}),
        ([says(None), says(2)], (), {2}),
        ([SimpleNamespace(), says([2])], ("<end>", "<nothing>"), {2, 7}),
        ([says(1)], ("<end>", "<user>"), {1, 7, 8}),
        ([says(None)], ("<end>",), {7}),
        ([says(None), SimpleNamespace()], (), {5}),
    ],
)
def test_stop_tokens(configs: list[Any], profile_stops: tuple[str, ...], wanted: set[int]) -> None:
    profile = replace(profile_for("glm_ocr"), stop=profile_stops)
    assert stop_ids_of(configs, Words(), profile) == wanted
