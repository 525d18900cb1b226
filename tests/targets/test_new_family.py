"""A model family that Galley does not know becomes known by one profile in one table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as hf

from galley.decoding import Decoder, Request
from galley.errors import ModelError, UsageError
from galley.targets import profiles
from galley.targets.profiles import Profile, family, profile_named
from galley.targets.prompt import Task
from galley.targets.transformers import load_target
from galley.targets.transformers.prompts import model_inputs

from .checkpoints import CLOSE, HIDDEN, IMAGE, OPEN, TEMPLATE, rope, save, text_config, tokenizer

PROFILE = Profile(
    name="Qwen2-VL",
    model_types=frozenset({"qwen2_vl"}),
    prompts={Task.TEXT: "Read the text.", Task.PAGE: "Write the page as Markdown."},
)
TOKENS = 30
PICTURE = np.random.default_rng(0).integers(0, 255, (60, 100, 3), dtype=np.uint8)


def tiny_checkpoint(folder: Path) -> Path:
    """A tiny checkpoint of a class that Transformers has and that no profile names."""
    words = tokenizer(image_token=IMAGE, video_token="<|video|>")
    ids = words.convert_tokens_to_ids
    config = hf.Qwen2VLConfig(
        text_config=text_config(words, rope_parameters=rope(mrope_section=[2, 3, 3])),
        vision_config={"depth": 2, "embed_dim": 32, "hidden_size": HIDDEN, "num_heads": 2, "mlp_ratio": 2},
        image_token_id=ids(IMAGE),
        video_token_id=ids("<|video|>"),
        vision_start_token_id=ids(OPEN),
        vision_end_token_id=ids(CLOSE),
    )
    size = {"shortest_edge": 56 * 56, "longest_edge": 140 * 140}
    processor = hf.Qwen2VLProcessor(
        hf.Qwen2VLImageProcessor(size=size), words, hf.Qwen2VLVideoProcessor(), chat_template=TEMPLATE
    )
    return save(folder, config, hf.Qwen2VLForConditionalGeneration, processor, seed=9)


def test_a_profile_is_all_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_checkpoint(tmp_path)
    with pytest.raises(ModelError, match="type 'qwen2_vl'"):
        load_target(folder, device="cpu")

    monkeypatch.setattr(profiles, "PROFILES", (*profiles.PROFILES, PROFILE))
    target = load_target(folder, device="cpu")
    prompt = target.prompt(PICTURE, Task.TEXT)

    model = hf.AutoModelForImageTextToText.from_pretrained(folder, dtype=torch.float32).eval()
    inputs = model_inputs(target.processor, [prompt], None)
    written = model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False)[
        0, inputs["input_ids"].shape[1] :
    ]
    greedy = [token for token in written.tolist() if token not in target.stop_ids]
    assert len(set(greedy)) > 5  # random weights write something to compare

    half_wrong = [(token + 1) % 100 if place % 7 == 3 else token for place, token in enumerate(greedy)]
    for way in ("ar", "match", "prompt-lookup", "auto"):
        (result,) = Decoder(target, way).run([Request(prompt, drafts=[half_wrong], max_tokens=TOKENS)])
        assert result.ids == greedy, way


def test_its_name_finds_it_for_served_models(monkeypatch: pytest.MonkeyPatch) -> None:
    assert profile_named("Qwen/Qwen2-VL-7B-Instruct") is None
    with pytest.raises(UsageError, match="there is no family 'qwen2-vl'"):
        family("qwen2-vl")
    monkeypatch.setattr(profiles, "PROFILES", (*profiles.PROFILES, PROFILE))
    assert profile_named("Qwen/Qwen2-VL-7B-Instruct") is PROFILE
    assert family("qwen2-vl") is PROFILE


def test_a_task_it_was_not_trained_for_is_refused() -> None:
    with pytest.raises(ModelError, match="Qwen2-VL cannot read a table; it reads text, page"):
        PROFILE.prompt(PICTURE, Task.TABLE)
