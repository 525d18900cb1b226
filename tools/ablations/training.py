"""What the training studies share: small models trained for as many steps on the same documents, and what became of
them."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch

from decoding import AR, SELF_SPECULATION, compare, documents, show, speculative
from galley.targets.nano.target import NanoTarget
from galley.targets.nano.tokens import Vocabulary
from galley.training.corruption import Schedule
from galley.training.learner import Batch
from galley.training.loss import joint_loss
from galley.training.nano.compose import Composed
from galley.training.nano.graph import TorchForward
from galley.training.nano.learner import NanoLearner, to_example
from galley.training.nano.model import Nano
from galley.training.nano.run import arguments as run_arguments
from galley.training.nano.run import build
from galley.training.rows import Recipe, join, lay_out

SHAPE = {"width": 192, "layers": 3, "heads": 3, "kv_heads": 1, "hidden": 512}
HEADER = ["trained with", "documents seen", "causal loss", "drafting loss"]
HEADER += ["edit similarity", "TPF", "ids of AR"]


def arguments(description: str | None, steps: int) -> argparse.Namespace:
    """Options of a training study."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path(".build/nano"), help="folder with tokenizer.json and bank/"
    )
    parser.add_argument("--out", type=Path, default=Path(".build/ablations"), help="folder of the runs")
    parser.add_argument("--steps", type=int, default=steps, help="of each run")
    parser.add_argument("--documents", type=int, default=8, help="held-out documents of each task")
    parser.add_argument("--longest", type=int, default=600, help="characters of a held-out document")
    parser.add_argument("--rows", type=int, default=2)
    parser.add_argument("--capacity", type=int, default=1024, help="slots per row")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def study(options: argparse.Namespace, variants: Mapping[str, Sequence[object]]) -> None:
    """Train a small model for each variant (options of ``galley.training.nano.run``), read held-out documents
    with it, and print a table. Runs that are there are resumed, or only read with."""
    held = documents(options.data, options.documents, options.longest)
    rows = []
    for name, words in variants.items():
        print(f"· {name}", flush=True)
        nano, seen = trained(options, name, words)
        rows.append([name, seen, *judged(nano, Vocabulary.load(options.data / "tokenizer.json"), held)])
    title = f"{options.steps} steps of {options.rows} × {options.capacity} slots, seed {options.seed};"
    show(f"{title} {len(held)} held-out documents", HEADER, rows)


def trained(options: argparse.Namespace, name: str, words: Sequence[object]) -> tuple[Nano, int]:
    """The model of a variant, and how many documents it has seen."""
    out = options.out / f"{options.steps}-{options.seed}" / "".join(c if c.isalnum() else "-" for c in name)
    out.mkdir(parents=True, exist_ok=True)
    shape = out / "shape.json"
    shape.write_text(json.dumps(SHAPE))
    common: list[object] = ["--data", options.data, "--out", out, "--steps", options.steps, "--shape", shape]
    common += ["--rows", options.rows, "--capacity", options.capacity, "--threads", options.threads]
    common += ["--seed", options.seed, "--validate", 0, "--rate", 2e-3]
    common += ["--warmup", options.steps // 10, "--decay", options.steps // 4]
    trainer = build(run_arguments([str(word) for word in (*common, *words)]))
    trainer.run(lambda line: print(line, flush=True))
    return cast(Nano, trainer.learner.module), trainer.documents.position


def judged(nano: Nano, vocabulary: Vocabulary, held: Sequence[Composed]) -> list[str]:
    """Held-out losses and what decoding gives; drafting is judged as it is done, with whole blocks hidden."""
    nano.eval()
    target = NanoTarget(TorchForward(nano), nano.config, vocabulary)
    methods = {AR: speculative(target, "ar"), SELF_SPECULATION: speculative(target, "self-spec")}
    tallies = compare(target, held, methods)
    drafted = tallies[SELF_SPECULATION]
    causal, drafting = losses(nano, vocabulary, held)
    same = f"{drafted.same_as(tallies[AR])} of {len(held)}"
    return [f"{causal:.3f}", f"{drafting:.3f}", f"{drafted.score:.3f}", f"{drafted.total.tpf:.2f}", same]


@torch.inference_mode()
def losses(nano: Nano, vocabulary: Vocabulary, held: Sequence[Composed]) -> tuple[float, float]:
    """Causal and one-shot drafting cross-entropy in nats, the mean over documents."""
    learner = NanoLearner(nano)
    block = nano.config.block_size
    recipe = Recipe(vocabulary.eos, vocabulary.mask, vocabulary.pad, block, Schedule.ALL_MASK)
    found = []
    for document in held:
        row = lay_out(to_example(document, vocabulary, None), recipe, np.random.default_rng(0))
        batch = Batch.stack([join([row], len(row), vocabulary.pad)])
        wanted = batch.supervised
        logits = learner.logits(learner.states(batch)[wanted])
        loss = joint_loss(logits, batch.ar_labels[wanted], batch.diff_labels[wanted], 1.0)
        found.append((float(loss.ar), float(loss.diff)))
    causal, drafting = np.mean(found, axis=0)
    return float(causal), float(drafting)
