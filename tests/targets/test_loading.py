"""Loading: devices, dtypes and what goes wrong."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from galley.errors import ModelError
from galley.targets.profiles import PROFILES, profile_for
from galley.targets.prompt import Task
from galley.targets.transformers import load_target, loading

from .checkpoints import HIDDEN


def complaint(*arguments: Any, **options: Any) -> str:
    with pytest.raises(ModelError) as caught:
        load_target(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_missing_folder(tmp_path: Path) -> None:
    assert "there is no model at" in complaint(tmp_path / "nowhere")
    for name in ("not a hub id", "./nowhere", "../nowhere", "nowhere/", "~/nowhere/at/all"):
        assert "there is no model at" in complaint(name)
    assert "no config.json" in complaint(tmp_path)


def test_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*arguments: Any, **options: Any) -> str:
        raise ConnectionError("no route")

    monkeypatch.setattr("galley.targets.transformers.loading.snapshot_download", unreachable)
    assert "the hub cannot be reached" in complaint("nobody/nothing")


def test_another_family(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert"}))
    message = complaint(tmp_path)
    assert "'bert'" in message and "GLM-OCR" in message


def test_broken_files(tmp_path: Path, checkpoint: Callable[[str], Path]) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(checkpoint("glm_ocr"), folder)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    assert "cannot be loaded" in complaint(folder)
    weights.unlink()
    assert "cannot be loaded" in complaint(folder)
    (folder / "processor_config.json").unlink()
    assert complaint(folder).endswith("preprocessor_config.json file")  # the reason in full
    (folder / "config.json").write_text("{")
    assert "cannot be loaded" in complaint(folder)


def test_unsuitable_settings(checkpoint: Callable[[str], Path]) -> None:
    folder = checkpoint("glm_ocr")
    assert "no device" in complaint(folder, device="tpu9000")
    assert "no dtype" in complaint(folder, dtype="int3")
    if not torch.cuda.is_available():
        assert "no GPU" in complaint(folder, device="cuda")


def test_a_family_with_its_own_code_needs_consent(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "dots_ocr"}))
    assert "code that comes with it" in complaint(tmp_path)


def test_bfloat16_keeps_rotary_frequencies_in_float32(checkpoint: Callable[[str], Path]) -> None:
    target = load_target(checkpoint("glm_ocr"), dtype="bfloat16", device="cpu")
    assert target.dtype is torch.bfloat16
    buffers = [b for name, b in target.model.named_buffers() if name.endswith("inv_freq")]
    assert buffers and all(buffer.dtype is torch.float32 for buffer in buffers)
    [(handle, scores)] = target.prefill([target.prompt(np.full((40, 90, 3), 200, np.uint8), Task.TEXT)])
    assert scores.argmax.shape == (1,)
    target.release(handle)


def test_tasks_and_text(target: Callable[[str], Any]) -> None:
    glm = target("glm_ocr")
    image = np.zeros((20, 20, 3), np.uint8)
    assert glm.prompt(image, Task.TABLE).text == "Table Recognition:"
    with pytest.raises(ModelError, match="GLM-OCR cannot read a page"):
        glm.prompt(image, Task.PAGE)
    ids = glm.encode("The fox: <table>")
    stop = next(iter(glm.stop_ids))
    assert glm.decode([*ids, stop]) == "The fox: <table>"


@pytest.mark.parametrize("shape", [(1, 1), (3, 2000), (1500, 2), (28, 28)])
@pytest.mark.parametrize("name", ["glm_ocr", "hunyuan_ocr"])
def test_slivers_are_read(target: Callable[[str], Any], name: str, shape: tuple[int, int]) -> None:
    reader = target(name)
    [(handle, _)] = reader.prefill([reader.prompt(np.full((*shape, 3), 255, np.uint8), Task.TEXT)])
    reader.release(handle)


def test_every_family_has_one_profile() -> None:
    types = [kind for profile in PROFILES for kind in profile.model_types]
    assert len(types) == len(set(types))
    for profile in PROFILES:
        assert profile.prompts and all(profile_for(kind) is profile for kind in profile.model_types)


def test_what_is_loaded_where_nothing_is_said(checkpoint: Callable[[str], Path]) -> None:
    target = load_target(checkpoint("glm_ocr"), device="cpu")
    assert target.dtype is torch.float32 and target.fixed_shapes is None
    assert not target.model.training


def test_the_mask_token_is_checked_against_the_rows_of_the_embedding(
    checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(
        "galley.targets.transformers.loading.checkpoint_self_speculation",
        lambda folder, tokenizer, rows: asked.append(rows),
    )
    target = load_target(checkpoint("gravity_ocr"), device="cpu")
    assert asked == [target.vocab_size]
    assert target.model.get_input_embeddings().weight.shape[0] == target.vocab_size != HIDDEN


def test_a_family_that_transformers_is_too_old_for(
    checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading.transformers, "CONFIG_MAPPING", {})
    assert "upgrade transformers" in complaint(checkpoint("glm_ocr"))
