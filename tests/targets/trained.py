"""Tiny checkpoints of the real classes that know four crops by heart, so that their own drafts are accepted.

With random weights a model's drafts are never right, and that drafting changes nothing is nearly trivial. These are
trained by the package's own ``convert`` in seconds; GLM-OCR's gets a multi-token-prediction head besides.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file, save_file

from galley.targets.prompt import Task
from galley.targets.transformers import load_target
from galley.targets.transformers.mtp_head import MtpHead
from galley.training.convert import TransformersLearner, convert
from galley.training.corruption import Schedule
from galley.training.settings import Settings

from .checkpoints import LAYERS, glm_ocr, qwen2_5_vl, qwen3_vl

BLOCK = 8
"""Masks of a drafting block, as trained."""
CROPS = [
    (np.random.default_rng(seed).integers(0, 255, (28 + 28 * (seed % 2), 56, 3), dtype=np.uint8), text)
    for seed, text in enumerate(
        [
            "The quick brown fox jumps over 12 lazy dogs.",
            "<table><tr><td>1</td><td>27</td></tr><tr><td>1</td></tr></table>",
            "$x_i^2$ is less than 3; see Table 4.",
            "# Title\nOne, two, three and so on.",
        ]
    )
]
_STEPS, _HEAD_STEPS, _HEAD_DEPTH = 60, 80, 4


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums in one order, so that the same weights come out everywhere."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _converted(folder: Path, base: Callable[..., Path], **text: object) -> Path:
    """A checkpoint trained on the crops."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (pixels, text_of) in enumerate(CROPS):
        Image.fromarray(pixels).save(folder / f"{number}.png")
        lines.append(json.dumps({"image": f"{number}.png", "task": "text", "text": text_of}))
    (folder / "crops.jsonl").write_text("\n".join(lines))
    settings = Settings(
        steps=_STEPS,
        rows=1,
        capacity=640,
        rate=4e-3,
        warmup=3,
        decay=_STEPS // 2,
        weight_decay=0.0,
        precision="fp32",
    )
    with one_thread():
        return convert(
            base(folder / "base", **text),
            folder / "crops.jsonl",
            folder / "trained",
            settings,
            BLOCK,
            Schedule.MIXED,
            device="cpu",
        )


def trained_glm_ocr(folder: Path) -> Path:
    """GLM-OCR that drafts with masks and with a multi-token-prediction head."""
    out = _converted(folder, glm_ocr, num_nextn_predict_layers=1)
    with one_thread():
        _add_head(out)
    return out


def trained_qwen2_5_vl(folder: Path) -> Path:
    return _converted(folder, qwen2_5_vl)


def trained_qwen3_vl(folder: Path) -> Path:
    return _converted(folder, qwen3_vl)


def _add_head(folder: Path) -> None:
    """Train a head on the model's hidden states, its deeper steps on its own output, and write it beside the model."""
    target = load_target(folder, device="cpu")
    learner, text = TransformersLearner(target), target.model.get_decoder()
    torch.manual_seed(0)
    head = MtpHead(text.config, type(text.layers[-1]), type(text.norm))
    head.block.load_state_dict(text.layers[-1].state_dict())
    samples = []
    for pixels, answer in CROPS:
        example = learner.example(pixels, Task.TEXT, answer)
        ends = np.full(_HEAD_DEPTH, target.model.generation_config.eos_token_id[0])
        ids = torch.from_numpy(np.concatenate([example.prompt, example.response, ends]))[None]
        following, _ = example.response_positions(np.concatenate([example.response, ends]), BLOCK)
        places = torch.from_numpy(np.concatenate([example.prompt_positions, following], axis=1))[:, None]
        with torch.no_grad():
            states = target.model.model(
                input_ids=ids, position_ids=places, use_cache=False, **example.payload
            ).last_hidden_state
            samples.append((text.embed_tokens(ids), states, ids, places, len(example.prompt)))
    optimiser = torch.optim.AdamW(head.parameters(), lr=4e-3, weight_decay=0.0)
    for step in range(_HEAD_STEPS):
        loss = sum(_head_loss(target.model, head, *sample) for sample in samples)
        optimiser.zero_grad()
        loss.backward()
        for group in optimiser.param_groups:
            group["lr"] = 4e-3 * min(1, 2 - 2 * step / _HEAD_STEPS)
        optimiser.step()
    _write_head(folder, head)


def _head_loss(
    model: torch.nn.Module,
    head: MtpHead,
    embedded: torch.Tensor,
    states: torch.Tensor,
    ids: torch.Tensor,
    places: torch.Tensor,
    prompt: int,
) -> torch.Tensor:
    """Cross-entropy of the tokens that the head drafts, one step deep and deeper, all along the response."""
    loss = torch.zeros(())
    hidden = states
    for depth in range(1, _HEAD_DEPTH + 1):
        hidden = hidden[:, : ids.shape[1] - depth - 1]
        width = hidden.shape[1]
        read = slice(depth, depth + width)
        rotary = model.get_decoder().rotary_emb(embedded[:, read], position_ids=places[:, :, read])
        mask = torch.full((width, width), torch.finfo(torch.float32).min).triu(1)[None, None]
        hidden = head(embedded[:, read], hidden, rotary, mask, None)
        logits = model.get_output_embeddings()(hidden[0, prompt - 1 :])
        loss = loss + torch.nn.functional.cross_entropy(logits, ids[0, prompt + depth :][: len(logits)])
    return loss


def _write_head(folder: Path, head: MtpHead) -> None:
    """The head's tensors as GLM-OCR's checkpoints lay them out."""
    tensors = load_file(folder / "model.safetensors")
    layer = f"model.language_model.layers.{LAYERS}."
    for key, value in head.state_dict().items():
        name = key.removeprefix("block.") if key.startswith("block.") else key
        name = "shared_head.norm.weight" if key == "norm.weight" else name
        tensors[layer + name] = value.clone()
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})


TRAINED: dict[str, Callable[[Path], Path]] = {
    "trained_glm_ocr": trained_glm_ocr,
    "trained_qwen2_5_vl": trained_qwen2_5_vl,
    "trained_qwen3_vl": trained_qwen3_vl,
}
