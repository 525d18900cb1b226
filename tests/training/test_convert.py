"""Converting a vision–language checkpoint, on a tiny GLM-OCR with random weights."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image, ImageDraw

from galley.cli.app import run
from galley.decoding import Decoder, Request, ScoreDetail, Window
from galley.errors import InputError, ModelError
from galley.targets.prompt import Task
from galley.targets.transformers.loading import load_target
from galley.training.convert import TransformersLearner, convert, read_crops
from galley.training.corruption import Schedule
from galley.training.learner import Batch
from galley.training.packed_rows import Recipe, join, lay_out
from galley.training.settings import Settings
from targets import checkpoints

BLOCK = 4


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return checkpoints.glm_ocr(tmp_path_factory.mktemp("glm"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crops")
    rows = []
    for number, text in enumerate(["The quick", "brown fox", "<table><tr><td>1</td></tr></table>"]):
        image = Image.new("RGB", (120, 60 + 20 * number), "white")
        ImageDraw.Draw(image).text((5, 5), text, fill="black")
        image.save(folder / f"{number}.png")
        task = "table" if "<" in text else "text"
        rows.append(json.dumps({"image": f"{number}.png", "task": task, "text": text}))
    (folder / "crops.jsonl").write_text("\n".join(rows))
    return folder / "crops.jsonl"


def test_training_sees_what_the_target_sees(checkpoint: Path, data: Path) -> None:
    """Packed rows of two documents give the logits of prefill, verify and draft windows, positions of M-RoPE
    included."""
    target = load_target(checkpoint, device="cpu")
    learner = TransformersLearner(target)
    mask = target.tokenizer.convert_tokens_to_ids(checkpoints.MASK)
    crops = read_crops(data)[:2]
    images = [np.asarray(Image.open(crop.image)) for crop in crops]
    examples = [
        learner.example(image, crop.task, crop.text) for image, crop in zip(images, crops, strict=True)
    ]
    recipe = Recipe(next(iter(target.stop_ids)), mask, 0, BLOCK, Schedule.ALL_MASK)
    rows = [lay_out(example, recipe, np.random.default_rng(0)) for example in examples]
    with torch.no_grad():
        packed = Batch.stack([join(rows, sum(map(len, rows)) + 2, 0)])
        logits = learner.logits(learner.states(packed))[0, len(rows[0]) :]
    trained = torch.log_softmax(logits, -1).numpy()

    example = examples[1]
    ((handle, first),) = target.prefill([target.prompt(images[1], Task.TEXT)], ScoreDetail.FULL)
    assert first.logprobs is not None
    prompt, n = len(example.prompt), len(example.response) + BLOCK
    np.testing.assert_allclose(trained[prompt - 1], first.logprobs[0], atol=1e-4)
    response = np.append(example.response, [recipe.eos] * BLOCK)
    (verified,) = target.forward([(handle, Window.chain(response))], ScoreDetail.FULL)
    assert verified.logprobs is not None
    np.testing.assert_allclose(trained[prompt : prompt + n], verified.logprobs, atol=1e-4)
    everything = np.ones((BLOCK, BLOCK), bool)
    masks = Window(np.full(BLOCK, mask), np.arange(BLOCK), everything, np.full(BLOCK, -1))
    (drafted,) = target.forward([(handle, masks)], ScoreDetail.FULL)
    assert drafted.logprobs is not None
    np.testing.assert_allclose(trained[prompt + n : prompt + n + BLOCK], drafted.logprobs, atol=1e-4)


def test_a_converted_checkpoint_drafts_for_itself(checkpoint: Path, data: Path, tmp_path: Path) -> None:
    settings = Settings(steps=60, rows=2, capacity=512, rate=4e-3, warmup=5, precision="fp32")
    out = convert(checkpoint, data, tmp_path / "out", settings, BLOCK, device="cpu")
    facts = json.loads((out / "block_diffusion.json").read_text())
    assert (
        facts["bd_size"] == BLOCK and facts["ar_loss_weight"] == 1.0 and facts["mask_schedule"] == "uniform"
    )
    target = load_target(out, device="cpu")
    assert target.mask_id == facts["mask_id"] and target.block_size == BLOCK
    crop = read_crops(data)[2]
    asked = target.prompt(np.asarray(Image.open(crop.image)), crop.task)
    plain, drafted = (
        Decoder(target, drafter).run([Request(asked, max_tokens=60)])[0] for drafter in ("ar", "self-spec")
    )
    assert plain.error is None and drafted.error is None
    assert drafted.ids == plain.ids
    # It learnt the one table by heart, and drafts what it would write.
    assert target.decode(plain.ids) == crop.text
    assert drafted.stats.tpf > 2


def test_a_model_without_causal_loss_is_refused(checkpoint: Path, data: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="above 0"):
        convert(checkpoint, data, tmp_path, Settings(steps=1, ar_weight=0.0), device="cpu")


@pytest.mark.parametrize(
    "content", ["", '{"image": "a.png"}\n', "no json\n", '{"image":"a","task":"x","text":"y"}\n']
)
def test_bad_data_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(content)
    with pytest.raises(InputError, match=r"data\.jsonl"):
        read_crops(path)
    with pytest.raises(InputError, match="cannot be read"):
        read_crops(tmp_path / "none.jsonl")


def test_the_command_converts(checkpoint: Path, data: Path, tmp_path: Path) -> None:
    words = (
        f"train convert --model {checkpoint} --data {data} --out {tmp_path / 'out'} --steps 2 --block-size 4"
    )
    assert run([*words.split(), "--rows", "1", "--capacity", "512", "--device", "cpu"]) == 0
    assert load_target(tmp_path / "out", device="cpu").block_size == BLOCK
