"""Polish a trained ``galley-nano`` with GRPO, from where the last run in the folder stopped.

python -m galley.training.nano.reinforce_run --data DATA --run RUN --out OUT --steps 50
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch

from galley.targets.nano.load import CONFIG, TOKENIZER
from galley.targets.nano.tokens import Vocabulary
from galley.training.checkpoint import read_checkpoint
from galley.training.nano.compose import LineDataset, Mixture
from galley.training.nano.export import load_run
from galley.training.nano.reinforce import Plan, Reinforcer
from galley.training.nano.run import HELD_OUT
from galley.training.nano.validate import held_out, validator

EVERY = 5
"""Steps between checkpoints."""


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Options of a command line; None: this process's."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with lines/")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run to start from")
    parser.add_argument("--out", type=Path, required=True, help="folder of a run that can be exported")
    parser.add_argument("--steps", type=int, required=True, help="step to stop at, earlier ones included")
    parser.add_argument("--prompts", type=int, default=24, help="documents per step")
    parser.add_argument("--rollouts", type=int, default=28, help="sampled responses per document")
    parser.add_argument("--tokens", type=int, default=1024, help="longest response")
    parser.add_argument("--rate", type=float, default=3e-6)
    parser.add_argument("--tables", type=float, default=0.25, help="share of tables among documents")
    parser.add_argument("--pages", type=float, default=0.15, help="share of pages among documents")
    parser.add_argument(
        "--validate", type=int, default=0, help="held-out documents per task to decode before and after"
    )
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(words)


class ReinforcedRun:
    """A run in a folder: ``checkpoint.pt`` (all state, loadable as a training run's) and ``log.jsonl``."""

    def __init__(self, options: argparse.Namespace):
        self.options, self.out = options, Path(options.out)
        nano = load_run(options.run)
        vocabulary = Vocabulary.load(options.run / TOKENIZER)
        dataset = LineDataset(options.data / "lines", 1, HELD_OUT - 1)
        dataset.refresh(random.Random(0))
        plan = Plan(options.prompts, options.rollouts, options.tokens, options.rate)
        mixture = Mixture(1 - options.tables - options.pages, options.tables, options.pages)
        self.reinforcer = Reinforcer(nano, vocabulary, dataset, mixture, plan, options.seed)
        self.validate = None
        if options.validate:
            held = held_out(
                LineDataset(options.data / "lines", HELD_OUT, HELD_OUT + 999), options.validate, seed=0
            )
            self.validate = validator(nano, nano.config, vocabulary, held)
        self.out.mkdir(parents=True, exist_ok=True)
        for name in (CONFIG, TOKENIZER):
            if not (self.out / name).is_file():
                shutil.copy(options.run / name, self.out / name)
        if (self.out / "checkpoint.pt").is_file():
            self.reinforcer.restore(read_checkpoint(self.out / "checkpoint.pt"))

    def go(self) -> None:
        """Steps until ``--steps``, with a checkpoint now and then; held-out documents are read first and last."""
        reinforcer = self.reinforcer
        if reinforcer.steps == 0:
            self._validated()
        while reinforcer.steps < self.options.steps:
            self._note(reinforcer.step())
            if reinforcer.steps % EVERY == 0:
                self._save()
        self._save()
        self._validated()

    def _validated(self) -> None:
        if self.validate is not None:
            self._note(self.validate())

    def _note(self, found: dict[str, float]) -> None:
        rounded = {name: round(value, 5) for name, value in found.items()}
        with (self.out / "log.jsonl").open("a") as log:
            log.write(json.dumps({"step": self.reinforcer.steps, **rounded}) + "\n")
        print(
            f"step {self.reinforcer.steps}  "
            + "  ".join(f"{name} {value}" for name, value in rounded.items()),
            flush=True,
        )

    def _save(self) -> None:
        temporary = self.out / "checkpoint.tmp"
        torch.save(self.reinforcer.state(), temporary)
        temporary.replace(self.out / "checkpoint.pt")


def main(words: Sequence[str] | None = None) -> None:
    """Run the command line."""
    options = arguments(words)
    torch.set_num_threads(options.threads)
    ReinforcedRun(options).go()


if __name__ == "__main__":
    main()
