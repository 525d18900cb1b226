"""The trainer learns, and a run that was interrupted goes on to the same weights."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import torch

from galley.errors import ModelError
from galley.training.corruption import Schedule
from galley.training.nano.compose import LineDataset, Mixture
from galley.training.nano.learner import Documents, NanoLearner
from galley.training.nano.lines import write_shard
from galley.training.optimisers import rate_factor
from galley.training.packed_rows import Recipe
from galley.training.settings import Settings
from galley.training.trainer import Trainer, stopped_by_sigterm

from .nano_parts import line_units, tiny_nano, tiny_vocabulary


def make_trainer(folder: Path, out: Path, steps: int, joint: bool = True) -> Trainer:
    vocabulary = tiny_vocabulary()
    documents = Documents(LineDataset(folder, 1, 100), vocabulary, Mixture(), seed=3)
    recipe = Recipe(vocabulary.eos, vocabulary.mask, vocabulary.pad, 8, Schedule.UNIFORM, joint)
    settings = Settings(steps=steps, rows=2, capacity=640, warmup=5, log_every=5, precision="fp32")
    return Trainer(NanoLearner(tiny_nano(vocabulary)), recipe, settings, documents, out)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lines")
    write_shard(path / "shard-00001.npz", line_units(8))
    return path


def weights(trainer: Trainer) -> dict[str, torch.Tensor]:
    return {name: value.clone() for name, value in trainer.learner.module.state_dict().items()}


def test_an_interrupted_run_reaches_the_same_weights(folder: Path, tmp_path: Path) -> None:
    whole = make_trainer(folder, tmp_path / "whole", 8)
    whole.run(lambda _: None)

    make_trainer(folder, tmp_path / "parts", 5).run(lambda _: None)
    second = make_trainer(folder, tmp_path / "parts", 8)
    assert second.resume() and second.progress.step == 5
    second.run(lambda _: None)

    assert second.documents.position == whole.documents.position
    for name, value in weights(whole).items():
        assert torch.equal(value, second.learner.module.state_dict()[name]), name


def test_stopping_saves_at_once(folder: Path, tmp_path: Path) -> None:
    trainer = make_trainer(folder, tmp_path, 50)

    def report(_: str) -> None:
        trainer.stopping = True

    trainer.run(report)
    again = make_trainer(folder, tmp_path, 50)
    assert again.resume() and again.progress.step == 5


def test_sigterm_saves_and_gives_the_signal_back(folder: Path, tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    trainer = make_trainer(folder, tmp_path, 50)
    with stopped_by_sigterm(trainer):
        trainer.run(lambda _: os.kill(os.getpid(), signal.SIGTERM))
    assert signal.getsignal(signal.SIGTERM) is before
    assert make_trainer(folder, tmp_path, 50).resume()
    assert trainer.progress.step == 5


def test_a_run_of_another_model_is_refused(folder: Path, tmp_path: Path) -> None:
    trainer = make_trainer(folder, tmp_path, 1)
    trainer.save()
    other = make_trainer(folder, tmp_path, 1)
    other.learner.module.extra = torch.nn.Linear(2, 2)
    with pytest.raises(ModelError, match="another shape"):
        other.resume()


@pytest.mark.parametrize("joint", [True, False])
def test_training_lowers_the_loss(folder: Path, tmp_path: Path, joint: bool) -> None:
    trainer = make_trainer(folder, tmp_path, 30, joint)
    first = trainer.step()[0]
    for _ in range(25):
        last = trainer.step()[0]
    assert float(last.ar) < 0.85 * float(first.ar)
    if joint:
        assert float(last.diff) < 0.9 * float(first.diff)


def test_nothing_to_resume(folder: Path, tmp_path: Path) -> None:
    assert not make_trainer(folder, tmp_path, 1).resume()


def test_rates_rise_hold_and_fall() -> None:
    settings = Settings(steps=100, warmup=10, decay=20)
    assert rate_factor(0, settings) == pytest.approx(0.1)
    assert rate_factor(50, settings) == 1.0
    assert rate_factor(90, settings) == pytest.approx(0.5)
    assert rate_factor(50, Settings(steps=60, warmup=10)) == 1.0
