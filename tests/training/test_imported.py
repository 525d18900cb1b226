"""An exported model read back: the same integers when it is exported again, and the same ids."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper
from PIL import Image, ImageDraw

from galley.decoding import Decoder, Request
from galley.drafters.ocr.recognition import Recogniser
from galley.errors import ModelError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import CONFIG, DECODER, EMBEDDED, ENCODER, TOKENIZER, load_embedded
from galley.targets.nano.reading import SeenLine, make_reading
from galley.targets.nano.target import NanoPrompt, NanoTarget
from galley.targets.prompt import Task
from galley.training.nano.export import export, mean_of
from galley.training.nano.graph import TorchForward
from galley.training.nano.imported import import_model
from galley.training.nano.model import Nano
from galley.training.nano.run import arguments, build

from .nano_parts import save_vocabulary, tiny_nano, tiny_vocabulary

SHAPE = ("width", "layers", "heads", "kv_heads", "hidden")


@pytest.fixture(scope="module")
def nano() -> Nano:
    """Norms of all sizes, so that none is left out by chance."""
    made = tiny_nano(tiny_vocabulary())
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if "norm" in name:
                parameter.copy_(0.5 + torch.rand(parameter.shape, generator=generator))
        made.encoder.feature_mean.normal_(generator=generator)
        made.encoder.feature_std.uniform_(0.5, 2, generator=generator)
    return made


@pytest.fixture(scope="module")
def folder(nano: Nano, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model")
    export(nano, save_vocabulary(tiny_vocabulary(), path / "tiny.json"), path / "out")
    return path / "out"


def constants(path: Path) -> list[np.ndarray]:
    return [numpy_helper.to_array(one) for one in onnx.load(str(path)).graph.initializer]


@pytest.mark.parametrize("name", [DECODER, ENCODER])
def test_exported_again_all_integers_are_the_same(folder: Path, tmp_path: Path, name: str) -> None:
    export(import_model(folder), folder / TOKENIZER, tmp_path)
    for first, second in zip(constants(folder / name), constants(tmp_path / name), strict=True):
        assert first.dtype == second.dtype and first.shape == second.shape
        if first.dtype.kind in "iu":
            assert (first == second).all()
        else:  # the steps of values follow from the rounded weights
            np.testing.assert_allclose(first, second, rtol=1e-2)
    assert NanoConfig.load(folder / CONFIG) == NanoConfig.load(tmp_path / CONFIG)


def test_what_the_export_keeps_apart_is_read_back_as_it_was(nano: Nano, folder: Path) -> None:
    found = import_model(folder)

    def step(weight: torch.Tensor) -> float:
        """Half a step of the coarsest row."""
        return float(weight.detach().abs().max()) / 63 / 2 + 1e-6

    for ours, theirs in [
        (found.embedding.weight, nano.embedding.weight),
        (found.encoder.features.weight, nano.encoder.features.weight),
        (found.encoder.boxes.weight, nano.encoder.boxes.weight),
        (found.lookahead.weight, nano.lookahead.weight),
        (found.decoder()[1].down.weight, nano.decoder()[1].down.weight),
    ]:
        torch.testing.assert_close(ours, theirs, rtol=0, atol=step(theirs))
    torch.testing.assert_close(found.norm.weight, nano.norm.weight)
    torch.testing.assert_close(found.encoder.feature_std, nano.encoder.feature_std)


def test_the_imported_model_writes_what_the_shipped_one_writes() -> None:
    shipped = load_embedded()
    config = NanoConfig.load(EMBEDDED / CONFIG)
    imported = NanoTarget(TorchForward(import_model(EMBEDDED).eval()), config, shipped.vocabulary)
    lines = [
        "The quick brown fox jumps over",
        "a lazy dog while seven wizards",
        "mix 42 potions in 1,968 jars.",
    ]
    prompt = NanoPrompt(make_reading(shipped.vocabulary, [read(lines)], Task.TEXT), Task.TEXT)
    request = Request(prompt, max_tokens=80)
    first, second = (Decoder(target, "ar").run([request])[0] for target in (shipped, imported))
    assert first.error is None and second.error is None
    assert shipped.decode(first.ids) == " ".join(lines)
    assert first.ids == second.ids


def read(lines: list[str]) -> list[SeenLine]:
    """Printed lines as the recogniser sees them, below each other."""
    crops = []
    for text in lines:
        image = Image.new(
            "RGB",
            (int(ImageDraw.Draw(Image.new("L", (1, 1))).textlength(text, font_size=30)) + 16, 44),
            "white",
        )
        ImageDraw.Draw(image).text((8, 4), text, fill="black", font_size=30)
        crops.append(np.asarray(image))
    return [
        SeenLine(
            found.text,
            found.char_frames,
            found.features,
            (0.0, 44.0 * i, float(crop.shape[1]), 44.0 * i + 36),
        )
        for i, (found, crop) in enumerate(zip(Recogniser().encode(crops), crops, strict=True))
    ]


def test_a_run_and_the_exported_model_it_began_with_have_a_mean(folder: Path, tmp_path: Path) -> None:
    began = import_model(folder)
    trained = copy.deepcopy(began)
    with torch.no_grad():
        trained.lookahead.weight += 1.0
    replace(trained.config, least_odds=3.0).save(tmp_path / CONFIG)
    torch.save({"model": trained.state_dict()}, tmp_path / "checkpoint.pt")
    mean = mean_of([tmp_path, folder])
    torch.testing.assert_close(mean.lookahead.weight, began.lookahead.weight + 0.5)
    torch.testing.assert_close(mean.embedding.weight, began.embedding.weight)


def test_a_folder_that_is_no_export_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / CONFIG).write_bytes((folder / CONFIG).read_bytes())
    with pytest.raises(ModelError, match="no exported galley-nano model"):
        import_model(tmp_path)
    (tmp_path / ENCODER).write_bytes((folder / ENCODER).read_bytes())
    (tmp_path / DECODER).write_bytes((folder / ENCODER).read_bytes())
    with pytest.raises(ModelError, match="no exported galley-nano model"):
        import_model(tmp_path)


def begun(data: Path, out: Path, start: Path, *more: str) -> Nano:
    """The model of a run that begins with an exported one, before its first step."""
    words = ["--data", str(data), "--out", str(out), "--from", str(start), "--steps", "1", "--validate", "0"]
    module = build(arguments([*words, "--threads", "1", *more])).learner.module
    assert isinstance(module, Nano)
    return module


@pytest.fixture(scope="module")
def data(folder: Path, nano: Nano, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data")
    save_vocabulary(tiny_vocabulary(), path / TOKENIZER)
    (path / "shape.json").write_text(json.dumps({name: getattr(nano.config, name) for name in SHAPE}))
    return path


def test_a_new_run_begins_with_the_exported_model(folder: Path, data: Path, tmp_path: Path) -> None:
    module = begun(data, tmp_path, folder, "--shape", str(data / "shape.json"), "--block", "4")
    expected = import_model(folder).state_dict()
    for name, value in module.state_dict().items():
        assert torch.equal(value, expected[name]), name
    assert module.config.block_size == NanoConfig.load(tmp_path / CONFIG).block_size == 4


def test_a_model_of_another_shape_is_refused(folder: Path, data: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="another shape"):
        begun(data, tmp_path, folder)
