"""The mean of several runs, as the command exports it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from galley.errors import ModelError
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import CONFIG
from galley.training.nano.export import load_run, mean_of
from galley.training.nano.model import Nano

SHAPE = {"vocab_size": 300, "width": 24, "layers": 1, "heads": 2, "kv_heads": 1, "hidden": 32}


def run(folder: Path, seed: int, **shape: int) -> Path:
    """A run's folder as the trainer leaves it."""
    folder.mkdir()
    torch.manual_seed(seed)
    nano = Nano(NanoConfig(**{**SHAPE, **shape}))
    nano.config.save(folder / CONFIG)
    torch.save({"model": nano.state_dict()}, folder / "checkpoint.pt")
    return folder


def test_every_weight_is_the_mean_of_the_runs(tmp_path: Path) -> None:
    runs = [run(tmp_path / "a", 1), run(tmp_path / "b", 2)]
    first, second = (load_run(one).state_dict() for one in runs)
    for name, value in mean_of(runs).state_dict().items():
        torch.testing.assert_close(value, (first[name] + second[name]) / 2)
    assert not torch.equal(first["embedding.weight"], second["embedding.weight"])


def test_one_run_is_itself(tmp_path: Path) -> None:
    one = run(tmp_path / "a", 1)
    for name, value in mean_of([one]).state_dict().items():
        assert torch.equal(value, load_run(one).state_dict()[name])


def test_runs_of_different_shapes_have_no_mean(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="one shape"):
        mean_of([run(tmp_path / "a", 1), run(tmp_path / "b", 1, hidden=48)])
