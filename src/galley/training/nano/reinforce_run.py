"""Polish a trained ``galley-nano`` with GRPO.

python -m galley.training.nano.reinforce_run --data DATA --run RUN --out OUT --steps 50
"""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch

from galley.targets.nano.load import CONFIG, TOKENIZER
from galley.targets.nano.tokens import Vocabulary
from galley.training.nano.compose import Bank, Mixture
from galley.training.nano.export import load_run
from galley.training.nano.reinforce import Plan, Reinforcer
from galley.training.nano.run import HELD_OUT


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with bank/")
    parser.add_argument("--run", type=Path, required=True, help="folder of the run to start from")
    parser.add_argument("--out", type=Path, required=True, help="folder of a run that can be exported")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--prompts", type=int, default=24)
    parser.add_argument("--rollouts", type=int, default=28)
    parser.add_argument("--tokens", type=int, default=1024, help="longest response")
    parser.add_argument("--rate", type=float, default=3e-6)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args(words)
    torch.set_num_threads(options.threads)
    nano = load_run(options.run)
    vocabulary = Vocabulary.load(options.run / TOKENIZER)
    bank = Bank(options.data / "bank", 1, HELD_OUT - 1)
    bank.refresh(random.Random(0))
    plan = Plan(options.prompts, options.rollouts, options.tokens, options.rate)
    Reinforcer(nano, vocabulary, bank, Mixture(), plan).run(options.steps)
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save({"model": nano.state_dict()}, options.out / "checkpoint.pt")
    for name in (CONFIG, TOKENIZER):
        shutil.copy(options.run / name, options.out / name)


if __name__ == "__main__":
    main()
