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
from transformers import AutoModelForImageTextToText
from transformers.cache_utils import MtpCache
from transformers.modeling_layers import MtpLayer, MtpModel

from galley.decoding import Window
from galley.errors import ModelError
from galley.targets.transformers import load_target
from galley.targets.transformers.prompts import model_inputs

from .checkpoints import LAYERS

Load = Callable[[str], Any]


def reference_drafts(model: Any, inputs: dict[str, Any], tokens: list[int], depth: int) -> list[torch.Tensor]:
    """The head's outputs (hidden,) for the drafts after the last of ``tokens``, computed from scratch without a cache.

    Step k reads the embedding of the token drafted at step k - 1 at the position after it, and for a hidden state the
    head's own output of that step; it sees all pairs before.
    """
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
        ids, places = ids[:, 1:], places[:, :, 1:]
        outputs = []
        for _ in range(depth):
            embedded = model.model.get_input_embeddings()(ids)
            rotary = model.model.get_decoder().rotary_emb(embedded, position_ids=places)
            mask = torch.full((ids.shape[1],) * 2, torch.finfo(embedded.dtype).min).triu(1)[None, None]
            out = model.head(embedded, hidden, rotary, mask, None)[:, -1:]
            outputs.append(out[0, 0])
            ids = torch.cat([ids, model.model.lm_head(out[:, 0]).argmax(-1, keepdim=True)], dim=1)
            places = torch.cat([places, places[:, :, -1:] + 1], dim=2)
            hidden = torch.cat([hidden, out], dim=1)
    return outputs


def test_drafts_equal_a_computation_from_scratch(target: Load, prompts: Load) -> None:
    """Rounds that commit 1, 3 and 2 tokens, two sequences at once, one of them along a branch of a tree."""
    model, depth = target("glm_ocr_mtp"), 4
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
        expected = [reference_drafts(model, *pair, depth) for pair in zip(inputs, written, strict=True)]
        seen: list[torch.Tensor] = []
        hook = model.head.register_forward_hook(lambda *call, seen=seen: seen.append(call[-1]))
        drafts = model.mtp([(h, w[-1]) for h, w in zip(handles, written, strict=True)], depth)
        hook.remove()
        assert len(seen) == depth
        for row, outputs in enumerate(expected):
            best = [int(model.model.lm_head(out).argmax()) for out in outputs]
            assert drafts[row].tolist() == best
            for out, deeper in zip(outputs[1:], seen[1:], strict=True):
                torch.testing.assert_close(deeper[row, 0], out, atol=1e-4, rtol=1e-4)
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


def generic_name(key: str) -> str:
    """Transformers' name of a tensor of the head; its own loader looks for it in text models alone."""
    if key == "shared_head.norm.weight":
        return "post_norm.weight"
    return key if key.startswith(("enorm.", "hnorm.", "eh_proj.")) else f"mtp_block.{key}"


def test_drafts_of_a_trained_head_are_those_of_transformers_own_class(
    checkpoint: Callable[[str], Path], target: Load, prompts: Load, greedy: Load
) -> None:
    """Transformers' generic model of such heads drafts one token after each token of the text."""
    model, text = target("trained_glm_ocr"), greedy("trained_glm_ocr")[0]
    theirs = AutoModelForImageTextToText.from_pretrained(checkpoint("trained_glm_ocr"), dtype=torch.float32)
    theirs.eval().config.text_config.num_mtp_layers = 1
    layer = f"model.language_model.layers.{LAYERS}."
    stored = load_file(checkpoint("trained_glm_ocr") / "model.safetensors")
    head, cache = MtpModel(theirs, 1).eval(), MtpCache(config=theirs.config.get_mtp_config())
    head.layers[0].load_state_dict(
        {
            generic_name(key.removeprefix(layer)): value
            for key, value in stored.items()
            if key.startswith(layer)
        }
    )
    prompt = prompts("trained_glm_ocr")[0]
    inputs = model_inputs(model.processor, [prompt], None)
    ids = torch.cat([inputs["input_ids"], torch.tensor([text])], dim=1)
    kinds = torch.nn.functional.pad(inputs["mm_token_type_ids"], (0, len(text)))
    places, _ = theirs.model.get_rope_index(ids, kinds, image_grid_thw=inputs["image_grid_thw"])
    vision = {name: inputs[name] for name in ("pixel_values", "image_grid_thw")}
    with torch.no_grad():
        hidden = theirs.model(
            input_ids=ids, position_ids=places, mm_token_type_ids=kinds, use_cache=False, **vision
        ).last_hidden_state
        out = head.forward_layer(0, hidden[:, :-1], places[:, :, 1:], cache, input_ids=ids[:, 1:])
        expected = theirs.lm_head(out)[0, -len(text) :].argmax(-1).tolist()

    [(handle, _)] = model.prefill([prompt])
    drafted = []
    for token in text:
        drafted.append(int(model.mtp([(handle, token)], 1)[0][0]))
        model.forward([(handle, Window.chain([token]))])
        model.commit(handle, np.zeros(1, np.int64))
    model.release(handle)
    assert drafted == expected
    assert np.mean(np.array(drafted[:-1]) == text[1:]) > 0.8


def test_asking_twice_drafts_the_same(target: Load, prompts: Load) -> None:
    model = target("glm_ocr_mtp")
    [(handle, scores)] = model.prefill(prompts("glm_ocr_mtp")[:1])
    boundary = int(scores.argmax[0])
    deep, shallow = model.mtp([(handle, boundary)], 4)[0], model.mtp([(handle, boundary)], 2)[0]
    assert deep[:2].tolist() == shallow.tolist()
    model.release(handle)


def test_the_head_computes_what_transformers_generic_one_does(target: Load) -> None:
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
