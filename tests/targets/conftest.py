"""Tiny checkpoints and what Transformers itself makes of them, made once per session."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
import transformers
from filelock import FileLock

from galley.targets.prompt import Prompt, Task
from galley.targets.transformers import TransformersTarget, load_target
from galley.targets.transformers.prompts import model_inputs

from .checkpoints import BUILDERS
from .trained import CROPS, TRAINED

transformers.utils.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

TOKENS = 40
SHAPES = ((60, 100), (120, 80), (40, 140), (90, 90), (28, 60))
"""Heights and widths of the test images; no two give a prompt of the same length in every family."""


def picture(height: int, width: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--checkpoints", type=Path, help="folder that keeps the trained tiny checkpoints from run to run"
    )


@pytest.fixture(scope="session")
def checkpoint(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Folder of a family's tiny checkpoint, built at first use; trained ones once for all processes of a run."""
    base = tmp_path_factory.getbasetemp()
    shared = request.config.getoption("--checkpoints", None) or (
        base.parent if hasattr(request.config, "workerinput") else base
    )
    shared.mkdir(parents=True, exist_ok=True)

    @lru_cache
    def build(name: str) -> Path:
        if name in BUILDERS:
            return BUILDERS[name](tmp_path_factory.mktemp(name))
        done = shared / f"{name}.txt"
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                done.write_text(str(TRAINED[name](shared / name)))
        return Path(done.read_text())

    return build


@pytest.fixture(scope="session")
def target(checkpoint: Callable[[str], Path]) -> Callable[[str], TransformersTarget]:
    """A family's target, loaded once; tests release the sequences they open."""

    @lru_cache
    def load(name: str) -> TransformersTarget:
        return load_target(checkpoint(name), device="cpu")

    return load


@pytest.fixture(scope="session")
def prompts(target: Callable[[str], TransformersTarget]) -> Callable[[str], list[Prompt]]:
    """Five prompts with images of different shapes; of a trained checkpoint the crops it knows and one it does not."""

    @lru_cache
    def make(name: str) -> list[Prompt]:
        images = [picture(*shape, seed) for seed, shape in enumerate(SHAPES)]
        if name in TRAINED:
            images = [*(pixels for pixels, _ in CROPS), picture(56, 56, 9)]
        return [target(name).prompt(image, Task.TEXT) for image in images]

    return make


@pytest.fixture(scope="session")
def greedy(
    checkpoint: Callable[[str], Path],
    target: Callable[[str], TransformersTarget],
    prompts: Callable[[str], list[Prompt]],
) -> Callable[[str], list[list[int]]]:
    """What ``generate`` of the untouched model writes for each prompt alone, greedily, without the stop
    token.
    """

    @lru_cache
    def write(name: str) -> list[list[int]]:
        model: Any = transformers.AutoModelForImageTextToText.from_pretrained(
            checkpoint(name), dtype=torch.float32
        )
        model.eval()
        ours = target(name)
        texts = []
        for prompt in prompts(name):
            inputs = model_inputs(ours.processor, [prompt], ours.profile.longest_side)
            out = model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False, repetition_penalty=1.0)
            texts.append(
                [i for i in out[0, inputs["input_ids"].shape[1] :].tolist() if i not in ours.stop_ids]
            )
        return texts

    return write
