"""The multi-token-prediction head against computations from scratch and Transformers' generic layer."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from galley.decoding import Window
from galley.errors import ModelError
from galley.targets.transformers import load_target
from galley.targets.transformers.prompts import model_inputs

from .checkpoints import LAYERS

Load = Callable[[str], Any]


def reference_draft(model: Any, inputs: dict[str, Any], tokens: list[int]) -> int:
    """What the head drafts after the last of ``tokens``, computed from scratch over prompt and tokens."""
    ids = torch.cat([inputs["input_ids"], torch.tensor([tokens])], dim=1)
    cached = ids.shape[1] - 1
    kinds = torch.nn.functional.pad(inputs["mm_token_type_ids"], (0, len(tokens)))
    places, _ = model.model.model.get_rope_index(ids, kinds, image_grid_thw=inputs["image_grid_thw"])
    with torch.no_grad():
        hidden = model.model.model(
            input_ids=ids[:, :cached],
            position_ids=places[:, :, :cached],
            pixel_values=inputs["pixel_values"],
            image_grid_thw=inputs["image_grid_thw"],
            mm_token_type_ids=kinds[:, :cached],
            use_cache=False,
        ).last_hidden_state
        embedded = model.model.get_input_embeddings()(ids[:, 1:])
        rotary = model.model.get_decoder().rotary_emb(embedded, position_ids=places[:, :, 1:])
        head = model.head
        pair = head.eh_proj(torch.cat([head.enorm(embedded), head.hnorm(hidden)], dim=-1))
        mask = torch.full((cached, cached), torch.finfo(pair.dtype).min).triu(1)[None, None]
        out = head.norm(head.block(pair, position_embeddings=rotary, attention_mask=mask, cache=None))
        return int(model.model.lm_head(out[:, -1]).argmax())


def test_drafts_equal_a_computation_from_scratch(target: Load, prompts: Load) -> None:
    """Rounds that commit 1, 3 and 2 tokens, two sequences at once, one of them along a branch of a tree."""
    model = target("glm_ocr_mtp")
    two = prompts("glm_ocr_mtp")[:2]
    inputs = [model_inputs(model.processor, [prompt], None) for prompt in two]
    handles = [handle for handle, _ in model.prefill(two)]
    written: list[list[int]] = [[20], [31]]
    windows = [
        (Window.chain([20]), Window.chain([31]), [0], [0], 42, 53),
        (
            Window.chain([42, 64, 75, 9]),
            Window.tree([53, 8, 86, 97], [-1, 0, 0, 2]),
            [0, 1, 2],
            [0, 2, 3],
            108,
            119,
        ),
        (Window.chain([108, 21]), Window.chain([119, 32, 43]), [0, 1], [0], 54, 65),
    ]
    for first, second, keep_first, keep_second, next_first, next_second in windows:
        drafts = model.mtp([(h, w[-1]) for h, w in zip(handles, written, strict=True)], 2)
        for tokens, draft, prompt in zip(written, drafts, inputs, strict=True):
            assert draft.shape == (2,) and draft[0] == reference_draft(model, prompt, tokens)
        model.forward([(handles[1], second), (handles[0], first)])
        for handle, window, keep, boundary, tokens in (
            (handles[0], first, keep_first, next_first, written[0]),
            (handles[1], second, keep_second, next_second, written[1]),
        ):
            model.commit(handle, np.array(keep))
            tokens += [int(token) for token in window.tokens[keep][1:]] + [boundary]
    for handle in handles:
        model.release(handle)
    assert model.head_slots.living == [] and model.slots.living == []


def test_asking_twice_drafts_the_same(target: Load, prompts: Load) -> None:
    model = target("glm_ocr_mtp")
    [(handle, scores)] = model.prefill(prompts("glm_ocr_mtp")[:1])
    boundary = int(scores.argmax[0])
    deep, shallow = model.mtp([(handle, boundary)], 4)[0], model.mtp([(handle, boundary)], 2)[0]
    assert deep[:2].tolist() == shallow.tolist()
    model.release(handle)


def test_the_head_computes_what_transformers_generic_one_does(target: Load) -> None:
    from transformers.modeling_layers import MtpLayer

    model = target("glm_ocr_mtp")
    text, head = model.model.get_decoder(), model.head
    theirs = MtpLayer(text.config, type(text.layers[0]), type(text.norm), layer_idx=0).eval()
    names = {"block.": "mtp_block.", "norm.": "post_norm."}
    weights = {}
    for key, value in head.state_dict().items():
        old = next((start for start in names if key.startswith(start)), "")
        weights[names.get(old, "") + key.removeprefix(old)] = value
    theirs.load_state_dict(weights)
    generator = torch.Generator().manual_seed(0)
    embedded, hidden = torch.randn(2, 1, 6, text.config.hidden_size, generator=generator)
    rotary = text.rotary_emb(embedded, position_ids=torch.arange(6)[None])
    mask = torch.full((6, 6), torch.finfo(torch.float32).min).triu(1)[None, None]
    with torch.no_grad():
        expected = theirs(embedded, hidden, rotary, mask, None, None)
        torch.testing.assert_close(head(embedded, hidden, rotary, mask, None), expected)


def test_checkpoints_without_a_head_or_with_a_broken_one(
    tmp_path: Path, checkpoint: Callable[[str], Path]
) -> None:
    assert not hasattr(load_target(checkpoint("glm_ocr"), device="cpu"), "mtp")
    folder = tmp_path / "copy"
    shutil.copytree(checkpoint("glm_ocr_mtp"), folder)
    tensors = load_file(folder / "model.safetensors")
    del tensors[f"model.language_model.layers.{LAYERS}.eh_proj.weight"]
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"does not fit the model \(eh_proj.weight\)"):
        load_target(folder, device="cpu")
