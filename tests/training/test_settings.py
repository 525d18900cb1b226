"""Values that make no sense are refused where they are given, in one line."""

from __future__ import annotations

import random
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from galley.cli import main
from galley.cli.app import run
from galley.errors import InputError, ModelError, UsageError
from galley.training.checkpoint import read_checkpoint
from galley.training.example import Example
from galley.training.nano.compose import LineDataset, Mixture
from galley.training.nano.lines import read_shard, write_shard
from galley.training.nano.reinforce import Plan
from galley.training.nano.validate import held_out
from galley.training.packed_rows import Packer, Recipe
from galley.training.settings import Settings

from .nano_parts import line_units, save_vocabulary, tiny_vocabulary

NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.parametrize(
    "values",
    [{"ar_weight": value} for value in (NAN, INFINITE, -1.0)]
    + [{"rate": NAN}, {"rate": -1e-3}, {"matrix_rate": INFINITE}, {"steps": 0}, {"steps": -5}, {"rows": 0}]
    + [{"capacity": 0}, {"decay": -1}, {"warmup": -1}, {"clip": 0.0}, {"minutes": NAN}, {"precision": "fp8"}],
)
def test_settings_that_make_no_sense(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(values)).replace("_", " ")):
        Settings(**{"steps": 1, **values})


@pytest.mark.parametrize("values", [{"prompts": 0}, {"rollouts": 1}, {"tokens": 0}, {"rate": NAN}])
def test_plans_that_make_no_sense(values: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(values))):
        Plan(**values)


@pytest.mark.parametrize("share", [-0.1, 1.1, NAN])
def test_shares_that_make_no_sense(share: float) -> None:
    with pytest.raises(UsageError, match="share of table"):
        Mixture(0.5, share, 0.5)


def test_rows_too_small_for_all_documents_are_told() -> None:
    ids = np.arange(50)
    document = Example(ids, ids[None], 0, ids)
    with pytest.raises(InputError, match=r"do not fit rows of 100 tokens \(the last one takes 212\)"):
        packer = Packer(Recipe(1, 2, 0, 4), capacity=100, rows=1)
        packer.batch(iter([document] * 1000), np.random.default_rng(0))


def test_folders_without_what_is_needed_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no shards from 1 to 9"):
        LineDataset(tmp_path, 1, 9).refresh(random.Random(0))
    (tmp_path / "shard-00001.npz").write_bytes(b"PK nothing")
    with pytest.raises(InputError, match="cut short"):
        read_shard(tmp_path / "shard-00001.npz")
    write_shard(tmp_path / "shard-00002.npz", [unit for unit in line_units(1) if unit.kind == "table"])
    dataset = LineDataset(tmp_path, 2, 2)
    with pytest.raises(InputError, match="holds no"):
        held_out(dataset, 1, 0)
    (tmp_path / "checkpoint.pt").write_bytes(b"no checkpoint")
    with pytest.raises(ModelError, match="no whole checkpoint"):
        read_checkpoint(tmp_path / "checkpoint.pt")


def said(capsys: pytest.CaptureFixture[str], words: str) -> tuple[int, str]:
    """Exit code and what stands on standard error."""
    before = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            main(words.split())
    finally:
        signal.signal(signal.SIGTERM, before)
    return int(ended.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize("command", ["convert", "nano", "grpo"])
def test_help_shows_what_is_needed(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert "--data" in shown and "--out" in shown and "--steps" in shown


def test_commands_say_in_one_line_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    empty, data = tmp_path / "empty.jsonl", tmp_path / "data"
    empty.write_text("")
    (data / "lines").mkdir(parents=True)
    faults = {
        f"convert --model m --data {tmp_path / 'nowhere'} --out {out}": "nowhere",
        f"convert --model m --data {empty} --out {out}": "holds no crops",
        f"convert --model m --data {empty} --out {out} --ar-weight nan": "weight",
        f"convert --model m --data {empty} --out {out} --steps -3": "--steps",
        f"nano --data {data} --out {out} --steps 1": "tokenizer.json",
        f"grpo --data {data} --run {tmp_path} --out {out} --steps 1": "tokenizer.json",
    }
    for words, expected in faults.items():
        code, shown = said(capsys, f"train {words}")
        assert code != 0 and expected in " ".join(shown.split()), words
        assert "Traceback" not in shown
    save_vocabulary(tiny_vocabulary(), data / "tokenizer.json")
    write_shard(data / "lines" / "shard-00001.npz", line_units(1))
    code, shown = said(capsys, f"train nano --data {data} --out {out} --steps 1 --threads 1")
    assert code == InputError.exit_code and "no shards from 9000" in shown and len(shown.splitlines()) == 1
    code, shown = said(capsys, f"train grpo --data {data} --run {tmp_path} --out {out} --steps 1")
    assert code == UsageError.exit_code and "no checkpoint.pt" in shown


def test_a_missing_checkpoint_and_one_of_something_else_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is missing"):
        read_checkpoint(tmp_path / "checkpoint.pt")
    torch.save({"weights": 1}, tmp_path / "checkpoint.pt")
    with pytest.raises(ModelError, match="no checkpoint of a training run"):
        read_checkpoint(tmp_path / "checkpoint.pt")
