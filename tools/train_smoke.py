"""The whole recipe of the embedded model at toy size: data, causal, joint, GRPO, export, ``galley parse``.

    python tools/train_smoke.py --work .build/train-smoke

Everything is invented here and printed in fonts that come with matplotlib; needs ``galley-ocr[train]`` and
minutes on two cores. After each stage it is checked that the stage did something: files are there, losses fell, weights
moved, drafting gives the ids of plain decoding. A model this small reads badly; that Galley reads no worse with it is
checked last.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import torch
from faker import Faker

from galley.decoding import Decoder, Request
from galley.targets.nano.load import load_nano
from galley.targets.nano.reading import make_reading
from galley.targets.nano.target import NanoPrompt
from galley.training.nano.compose import LineDataset, Mixture, compose
from galley.training.nano.run import HELD_OUT
from galley.training.trainer import read_checkpoint

DATA = Path(__file__).parent / "data"
SAMPLE = Path(__file__).parents[1] / "samples" / "letter.jpg"
FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
SHAPE = {"width": 128, "layers": 3, "heads": 4, "kv_heads": 2, "hidden": 320}
BLOCK = 8


def make_corpus(folder: Path) -> None:
    """Invented texts and tables in the formats of the training corpora."""
    fake = Faker("en_US")
    fake.seed_instance(1)
    folder.mkdir(parents=True, exist_ok=True)
    tables = [
        "<table>"
        + "".join(f"<tr><td>{fake.word()}</td><td>{fake.pyint()}</td></tr>" for _ in range(4))
        + "</table>"
        for _ in range(100)
    ]
    contents = {
        "text.tsv.gz": [f"invented\t{fake.paragraph(5)}" for _ in range(400)],
        "tables_html.jsonl.gz": [json.dumps(["invented", table]) for table in tables],
        "tables_cals.jsonl.gz": [],
        "formulas.jsonl.gz": [json.dumps({"latex": rf"x^{{{n}}} + \frac{{a}}{{{n}}}"}) for n in range(60)],
    }
    for name, rows in contents.items():
        with gzip.open(folder / name, "wt", encoding="utf-8") as file:
            file.write("".join(row + "\n" for row in rows))


def run(*words: object, stderr: int | None = None) -> subprocess.CompletedProcess[str]:
    """A command of the recipe; its output passes through, and comes back."""
    print("·", *words, flush=True)
    # Waiting threads sleep: a machine that does other things too is not held up.
    quiet = os.environ | {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"}
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=quiet)
    print(done.stdout, end="", flush=True)
    check(done.returncode == 0, f"{words[0]} {words[1]} ended with {done.returncode} {done.stderr or ''}")
    return done


def check(true: bool, otherwise: str) -> None:
    """End with a line that says what is wrong."""
    if not true:
        raise SystemExit(f"train-smoke: {otherwise}")


def log_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def check_fell(log: Sequence[dict[str, Any]], name: str) -> None:
    """A loss ended below where it began."""
    values = [entry[name] for entry in log if name in entry]
    check(len(values) >= 2, f"no {name} loss was logged")
    first, last = values[0], float(np.mean(values[-2:]))
    check(last < 0.95 * first, f"the {name} loss did not fall: {first:.3f} at first, {last:.3f} at last")


def moved(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor]) -> bool:
    """Whether weights differ."""
    return any(not torch.equal(before[name], value) for name, value in after.items())


def clear(work: Path) -> None:
    """Take away an earlier run, and nothing else."""
    check(
        not work.exists() or (work / "corpus").is_dir() or not any(work.iterdir()),
        f"{work} holds other things",
    )
    shutil.rmtree(work, ignore_errors=True)


def make_data(work: Path) -> None:
    """Tokenizer and dataset."""
    make_corpus(work / "corpus")
    made = ["--corpus", work / "corpus", "--out"]
    run(DATA / "train_tokenizer.py", *made, work / "tokenizer.json", "--size", 1024, "--samples", 400)
    build = [DATA / "build_lines.py", *made, work / "lines", "--fonts", FONTS, "--threads", 2]
    run(*build, "--first", 1, "--count", 2, "--lines", 150)
    run(*build, "--first", HELD_OUT, "--count", 1, "--lines", 120)
    check(len(list((work / "lines").glob("shard-*.npz"))) == 3, "the line data set has not three shards")


def train(work: Path, steps: int) -> None:
    """Causal, then joint in the same folder."""
    (work / "shape.json").write_text(json.dumps(SHAPE))
    words = ["-m", "galley.training.nano.run", "--data", work, "--out", work / "run", "--block", BLOCK]
    words += ["--shape", work / "shape.json", "--rows", 2, "--rate", 2e-3, "--precision", "fp32"]
    words += ["--warmup", 10]
    run(*words, "--mode", "causal", "--steps", steps, "--validate", 0)
    causal = log_of(work / "run")
    check_fell(causal, "ar")
    check(all(entry["diff"] == 0 for entry in causal), "causal training had a denoising loss")
    run(*words, "--mode", "joint", "--steps", 2 * steps, "--decay", steps // 2, "--validate", 1)
    joint = log_of(work / "run")[len(causal) :]
    check(joint[0]["step"] > causal[-1]["step"], "joint training did not go on where causal training ended")
    check_fell(joint, "diff")
    check(joint[-1]["exact"] == 1, "drafting does not give the ids of plain decoding")


def reinforce(work: Path) -> None:
    """Two steps of GRPO."""
    words = ["--prompts", 2, "--rollouts", 4, "--tokens", 60, "--steps", 2, "--rate", 1e-5, "--pages", 0]
    folders = ["--data", work, "--run", work / "run", "--out", work / "grpo"]
    run("-m", "galley.training.nano.reinforce_run", *folders, *words)
    log = log_of(work / "grpo")
    check(len(log) == 2 and any("loss" in entry for entry in log), "no rollouts differed in reward")
    before, after = (read_checkpoint(work / name / "checkpoint.pt")["model"] for name in ("run", "grpo"))
    check(moved(before, after), "GRPO left the weights as they were")


def export(work: Path) -> Path:
    """The folder that ``--model`` takes, read by ONNX Runtime: plain decoding and drafting give the same ids."""
    model = work / "model"
    run("-m", "galley.training.nano.export", "--run", work / "grpo", "--out", model)
    target = load_nano(model)
    dataset, rng = LineDataset(work / "lines", HELD_OUT, HELD_OUT), random.Random(0)
    dataset.refresh(rng)
    documents = [compose(dataset, Mixture(0.5, 0.5, 0), rng) for _ in range(3)]
    prompts = [NanoPrompt(make_reading(target.vocabulary, d.groups, d.task), d.task) for d in documents]
    plain, drafted = (
        [result.ids for result in Decoder(target, name).run([Request(p, max_tokens=80) for p in prompts])]
        for name in ("ar", "self-spec")
    )
    check(any(plain) and plain == drafted, "the exported model drafts other ids than it decodes")
    return model


def parse(model: Path) -> None:
    """``galley parse`` with the model: the same text whatever drafts."""
    words = ["-m", "galley", "parse", SAMPLE, "--model", model, "--strategy", "regions"]
    alone, drafted = (run(*words, "--decode", name, stderr=subprocess.PIPE) for name in ("ar", "self-spec"))
    print(alone.stderr, drafted.stderr, sep="", end="")
    check(len(alone.stdout.split()) > 20, f"galley parse read next to nothing from {SAMPLE.name}")
    check(
        alone.stdout == drafted.stdout, "galley parse gives another text with self-speculation than without"
    )
    asked = all("galley-nano:" in done.stderr for done in (alone, drafted))
    check(asked, "galley parse did not ask the model")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for everything that is made; emptied"
    )
    parser.add_argument("--steps", type=int, default=40, help="steps of each training phase")
    options = parser.parse_args()
    start = time.monotonic()
    clear(options.work)
    make_data(options.work)
    train(options.work, options.steps)
    reinforce(options.work)
    parse(export(options.work))
    print(f"train-smoke: all stages did their work in {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
