"""Which prompts are read in one forward: consecutive ones, while what they are padded to stays small enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from galley.targets.prompt import Task


def chunks(model: Any, sides: list[int]) -> list[int]:
    prompts = [model.prompt(np.zeros((side, side, 3), np.uint8), Task.TEXT) for side in sides]
    found = model._chunks(prompts)
    assert [prompt for chunk in found for prompt in chunk] == prompts
    return [len(chunk) for chunk in found]


@pytest.mark.parametrize(
    ("sides", "wanted"),
    [
        ([], []),
        ([28], [1]),
        ([1568, 1568, 1568], [2, 1]),  # 3,200 tokens each by the guess, of 8,192
        ([28, 28, 1568, 28], [2, 2]),  # a large prompt counts for all that it would be padded with
        ([3000, 28, 28], [1, 2]),
        ([28] * 127, [126, 1]),
    ],
)
def test_prompts_that_fit_a_forward(
    sides: list[int], wanted: list[int], target: Callable[[str], Any]
) -> None:
    assert chunks(target("glm_ocr"), sides) == wanted


def test_families_that_read_prompts_one_by_one(
    target: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = target("glm_ocr")
    monkeypatch.setattr(model, "profile", replace(model.profile, batch_prefill=False))
    assert chunks(model, [28, 28, 28]) == [1, 1, 1]
