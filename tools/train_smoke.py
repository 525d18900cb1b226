"""The whole recipe of the embedded model at toy size: data, causal, joint, GRPO, export, reading an image.

    python tools/train_smoke.py --work .build/train-smoke

Needs ``galley[train,eval]``, faker, pyphen and a few text fonts; takes minutes on two cores.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from faker import Faker
from PIL import Image, ImageDraw

from galley.decoding import Decoder, Request
from galley.drafters.ocr.recognition import Recogniser
from galley.targets.nano.load import load_nano
from galley.targets.nano.reading import SeenLine, make_reading
from galley.targets.nano.target import NanoPrompt
from galley.targets.prompt import Task

DATA = Path(__file__).parent / "data"
SHAPE = {"width": 128, "layers": 3, "heads": 4, "kv_heads": 2, "hidden": 320}


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


def step(*words: object) -> None:
    print("·", *words, flush=True)
    subprocess.run([sys.executable, *map(str, words)], check=True)


def read_line(folder: Path, text: str) -> str:
    """What the exported model writes for an image of ``text``."""
    image = Image.new("RGB", (12 + 11 * len(text), 40), "white")
    ImageDraw.Draw(image).text((6, 4), text, fill="black", font_size=24)
    found = Recogniser().encode([np.asarray(image)])[0]
    line = SeenLine(found.text, found.char_frames, found.features, (0, 0, image.width, image.height))
    target = load_nano(folder)
    reading = make_reading(target.vocabulary, [[line]], Task.TEXT)
    (result,) = Decoder(target, "block_diffusion").run(
        [Request(NanoPrompt(reading, Task.TEXT), max_tokens=60)]
    )
    if result.error is not None:
        raise result.error
    written = target.decode(result.ids)
    print(f"read: {found.text!r}\nwritten: {written!r}\n{result.stats.tpf:.2f} tokens per forward")
    return written


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True, help="folder for everything that is made")
    parser.add_argument("--steps", type=int, default=60, help="steps of each training phase")
    options = parser.parse_args()
    work: Path = options.work
    corpus, bank, run = work / "corpus", work / "bank", work / "run"
    make_corpus(corpus)
    (work / "shape.json").write_text(json.dumps(SHAPE))
    made = ["--corpus", corpus, "--out"]
    step(DATA / "train_tokenizer.py", *made, work / "tokenizer.json", "--size", 1024, "--samples", 400)
    step(DATA / "build_bank.py", *made, bank, "--first", 1, "--count", 2, "--lines", 150)
    step(DATA / "build_bank.py", *made, bank, "--first", 9000, "--count", 1, "--lines", 120)
    train = ["-m", "galley.training.nano.run", "--data", work, "--out", run, "--shape", work / "shape.json"]
    train += ["--block", 8, "--rows", 2, "--validate", 1]
    step(*train, "--mode", "causal", "--steps", options.steps)
    step(*train, "--mode", "joint", "--steps", 2 * options.steps, "--decay", options.steps // 2)
    polish = ["--prompts", 2, "--rollouts", 4, "--tokens", 120, "--steps", 2, "--rate", 1e-5]
    step(
        "-m",
        "galley.training.nano.reinforce_run",
        "--data",
        work,
        "--run",
        run,
        "--out",
        work / "grpo",
        *polish,
    )
    step("-m", "galley.training.nano.export", "--run", work / "grpo", "--out", work / "model")
    read_line(work / "model", "The quick brown fox jumps over a lazy dog.")


if __name__ == "__main__":
    main()
