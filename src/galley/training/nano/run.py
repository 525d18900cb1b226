"""Train ``galley-nano`` on a line data set.

Training starts from nothing, from an exported model (``--from``) or from where the last run in the folder stopped.

    python -m galley.training.nano.run --data .build/nano --out .build/nano/run --steps 20000

Several processes: ``accelerate launch --num_processes 2 [--cpu] -m galley.training.nano.run …``; the number of rows
is then that of each process.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import torch

from galley.errors import ModelError, UsageError, one_line
from galley.targets.nano.config import NanoConfig
from galley.targets.nano.load import CONFIG, TOKENIZER
from galley.targets.nano.tokens import Vocabulary
from galley.training.corruption import Schedule
from galley.training.nano.compose import LineDataset, Mixture
from galley.training.nano.imported import import_model
from galley.training.nano.learner import Documents, NanoLearner, feature_statistics
from galley.training.nano.model import Nano
from galley.training.nano.validate import held_out, validator
from galley.training.packed_rows import Recipe
from galley.training.settings import Settings
from galley.training.trainer import Trainer, stopped_by_sigterm

HELD_OUT = 9000
"""Shards from this number on are for validation."""


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Options of a command line; None: this process's."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with tokenizer.json and lines/")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of the run; an earlier run there is resumed"
    )
    parser.add_argument(
        "--from",
        type=Path,
        dest="start",
        help="folder of an exported model to begin a new run with; random weights unless given",
    )
    parser.add_argument("--steps", type=int, required=True, help="step to stop at, earlier runs included")
    parser.add_argument("--mode", choices=["causal", "joint"], default="joint")
    parser.add_argument("--schedule", type=Schedule, choices=list(Schedule), default=Schedule.ALL_MASK)
    parser.add_argument("--block", type=int, default=32, help="masks per drafting block")
    parser.add_argument("--rows", type=int, default=4)
    parser.add_argument("--capacity", type=int, default=1024, help="slots per row")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--matrix-rate", type=float, default=0.01)
    parser.add_argument("--warmup", type=int, default=100, help="first steps over which rates rise")
    parser.add_argument("--decay", type=int, default=0, help="last steps over which rates fall to zero")
    parser.add_argument("--ar-weight", type=float, default=1.0)
    parser.add_argument("--precision", choices=["bf16", "fp32"], default="bf16")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=float, default=0.25, help="share of tables among documents")
    parser.add_argument("--pages", type=float, default=0.15, help="share of pages among documents")
    parser.add_argument("--shape", type=Path, help="JSON with sizes of the decoder other than the usual ones")
    parser.add_argument(
        "--validate", type=int, default=8, help="held-out documents per task to decode now and then"
    )
    return parser.parse_args(words)


def build(options: argparse.Namespace) -> Trainer:
    """The trainer of a run, resumed if the run exists."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(options.seed)
    vocabulary = Vocabulary.load(options.data / TOKENIZER)
    config = _config(options, vocabulary)
    mixture = Mixture(1 - options.tables - options.pages, options.tables, options.pages)
    dataset = LineDataset(options.data / "lines", 1, HELD_OUT - 1)
    documents = Documents(dataset, vocabulary, mixture, options.seed)
    learner = NanoLearner(_imported(options.start, config) if options.start else Nano(config))
    recipe = Recipe(
        vocabulary.eos,
        vocabulary.mask,
        vocabulary.pad,
        options.block,
        options.schedule,
        options.mode == "joint",
    )
    settings = Settings(
        steps=options.steps,
        rows=options.rows,
        capacity=options.capacity,
        rate=options.rate,
        matrix_rate=options.matrix_rate,
        warmup=options.warmup,
        decay=options.decay,
        ar_weight=options.ar_weight,
        seed=options.seed,
        precision=options.precision,
    )
    validate = None
    if options.validate:
        held = held_out(
            LineDataset(options.data / "lines", HELD_OUT, HELD_OUT + 999), options.validate, seed=0
        )
        validate = validator(learner.module, config, vocabulary, held)
    trainer = Trainer(learner, recipe, settings, documents, options.out, validate)
    if not trainer.resume():
        _begin(trainer, config, dataset, options)
    return trainer


def _imported(folder: Path, config: NanoConfig) -> Nano:
    """The decoder of an exported model.

    Raises:
        ModelError: For one of another shape or vocabulary.
    """
    nano = import_model(folder)
    found = nano.config
    if found != replace(config, block_size=found.block_size, reach=found.reach, least_odds=found.least_odds):
        raise ModelError(
            f"the model in {folder} has another shape or vocabulary than this run; see --shape and --data"
        )
    nano.config = config
    return nano


def _config(options: argparse.Namespace, vocabulary: Vocabulary) -> NanoConfig:
    """The usual shape, or the one of ``--shape``."""
    try:
        shape = json.loads(options.shape.read_text()) if options.shape else {}
        return NanoConfig(**{**shape, "vocab_size": vocabulary.size, "block_size": options.block})
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"--shape {options.shape}: {one_line(error)}") from error


def _begin(trainer: Trainer, config: NanoConfig, dataset: LineDataset, options: argparse.Namespace) -> None:
    """Give a new run what it needs besides weights, and the files that go with weights.

    That is the features' scale, unless a model came with its own.
    """
    if options.start is None:
        dataset.refresh(random.Random(f"{options.seed} shards"))
        encoder = cast(Nano, trainer.learner.module).encoder
        mean, std = feature_statistics(dataset)
        encoder.feature_mean.copy_(mean)
        encoder.feature_std.copy_(std)
    if trainer.processes.first:
        config.save(options.out / CONFIG)
        shutil.copy(options.data / TOKENIZER, options.out / TOKENIZER)


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line."""
    trainer = build(arguments(words))
    with stopped_by_sigterm(trainer):
        trainer.run(lambda line: print(line, flush=True))


if __name__ == "__main__":
    main()
