"""A checkpoint with its own code is read like any other, once the user consents."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from galley.decoding import Autoregressive, Decoder, DraftMatching, Request
from galley.errors import ModelError
from galley.targets.prompt import Task
from galley.targets.transformers import load_target
from galley.targets.transformers.prompts import model_inputs

from .conftest import picture
from .own_code import dots_ocr


def test_own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules"))
    folder = dots_ocr(tmp_path / "dots")
    with pytest.raises(ModelError, match="code that comes with it"):
        load_target(folder, device="cpu")
    target = load_target(folder, device="cpu", trust_remote_code=True)
    prompts = [target.prompt(picture(60, 100, 0), Task.PAGE), target.prompt(picture(100, 60, 1), Task.TEXT)]
    expected = []
    for prompt in prompts:
        inputs = model_inputs(target.processor, [prompt], None)
        ids, pixels = inputs["input_ids"], inputs["pixel_values"]
        with torch.no_grad():
            for _ in range(16):
                following = target.model(ids, pixel_values=pixels, use_cache=False).logits[:, -1:].argmax(-1)
                ids = torch.cat([ids, following], dim=1)
        expected.append(ids[0, -16:].tolist())
    assert all(len(set(text)) > 8 for text in expected)
    for drafter in (Autoregressive(), DraftMatching()):
        requests = [Request(prompt, drafts=expected, max_tokens=16, loop_guard=None) for prompt in prompts]
        for result, text in zip(Decoder(target, drafter).run(requests), expected, strict=True):
            assert result.error is None
            stop = next((i for i, token in enumerate(text) if token in target.stop_ids), len(text))
            assert result.ids == text[:stop]
    assert target.slots.living == []
