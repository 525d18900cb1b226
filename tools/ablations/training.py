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

from decoding import AR, SELF_SPECULATION, compare, direct, documents, show, speculative
from galley.decoding import SelfSpeculation
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
from galley.training.packed_rows import Recipe, join, lay_out

SHAPE = {"width": 192, "layers": 3, "heads": 3, "kv_heads": 1, "hidden": 512}
STEPS, TAU_D, TAUS_C = "drafts in steps", 0.7, (0.5, 0.7, 0.9)
HEADER = ["trained with", "documents seen", "AR loss", "all-mask loss", "uniform loss", "edit similarity"]
HEADER += ["TPF, one shot", f"TPF, tau_d {TAU_D}", "AAL, one shot", f"AAL, tau_d {TAU_D}"]
HEADER += [*(f"similarity, tau_c {tau}" for tau in TAUS_C), "ids of AR"]


def arguments(description: str | None, steps: int) -> argparse.Namespace:
    """Options of a training study."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path(".build/nano"), help="folder with tokenizer.json and lines/"
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
    """Held-out losses and what decoding gives: verified drafts in one shot and in steps, and direct diffusion."""
    nano.eval()
    target = NanoTarget(TorchForward(nano), nano.config, vocabulary)
    methods = {
        AR: speculative(target, "ar"),
        SELF_SPECULATION: speculative(target, SelfSpeculation()),
        STEPS: speculative(target, SelfSpeculation(tau_d=TAU_D)),
    }
    methods |= {f"tau_c {tau}": direct(target, tau) for tau in TAUS_C}
    tallies = compare(target, held, methods)
    drafted, steps = tallies[SELF_SPECULATION], tallies[STEPS]
    causal, one_shot = losses(nano, vocabulary, held, Schedule.ALL_MASK)
    _, denoising = losses(nano, vocabulary, held, Schedule.UNIFORM)
    same = min(drafted.same_as(tallies[AR]), steps.same_as(tallies[AR]))
    return [
        *(f"{loss:.3f}" for loss in (causal, one_shot, denoising)),
        f"{drafted.score:.3f}",
        *(f"{tally.total.tpf:.2f}" for tally in (drafted, steps)),
        *(f"{tally.total.aal:.2f}" for tally in (drafted, steps)),
        *(f"{tallies[f'tau_c {tau}'].score:.3f}" for tau in TAUS_C),
        f"{same} of {len(held)}",
    ]


@torch.inference_mode()
def losses(
    nano: Nano, vocabulary: Vocabulary, held: Sequence[Composed], schedule: Schedule
) -> tuple[float, float]:
    """Causal and denoising cross-entropy in nats, the mean over documents, masked by ``schedule``."""
    learner = NanoLearner(nano)
    recipe = Recipe(vocabulary.eos, vocabulary.mask, vocabulary.pad, nano.config.block_size, schedule)
    found = []
    for number, document in enumerate(held):
        row = lay_out(to_example(document, vocabulary, None), recipe, np.random.default_rng(number))
        batch = Batch.stack([join([row], len(row), vocabulary.pad)])
        wanted = batch.supervised
        logits = learner.logits(learner.states(batch)[wanted])
        loss = joint_loss(logits, batch.ar_labels[wanted], batch.diff_labels[wanted], 1.0)
        found.append((float(loss.ar), float(loss.diff)))
    causal, denoising = np.mean(found, axis=0)
    return float(causal), float(denoising)
