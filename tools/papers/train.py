"""Trains the tiny checkpoints that the rows of ``run.py`` measure, in minutes on one core.

    python tools/papers/train.py                  # all of them, into .build/papers
    python tools/papers/train.py region region-self-spec

Each learns a few invented pages by heart: that is what a model of a million weights can do in a minute, and it gives
drafts that are accepted many tokens deep, which random weights never do. ``region`` and ``region-small`` read crops,
the page models pages and crops; ``region-self-spec`` is ``region`` after ``galley train convert``.
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from checkpoints import BUILDERS, PAD, Shape, make_tokenizer
from pages import PrintedPage, make_pages, words, write_data
from transformers import PreTrainedTokenizerFast

from galley.targets.transformers.loading import load_target
from galley.training.convert import Crops, TransformersLearner, convert, read_crops
from galley.training.corruption import Schedule
from galley.training.example import CLEAN, IGNORE, Example, Row
from galley.training.packed_rows import Document, Packer, Recipe
from galley.training.settings import Settings
from galley.training.trainer import Trainer

FOLDER = Path(".build/papers")
PAGES, SEED, BLOCK = 2, 7, 16
FIRST = 8
SCALES = (1.0, 0.7, 0.5)


@dataclass(frozen=True)
class Tiny:
    """A checkpoint: its class and shape, what it reads, and how long it is trained.

    whole: pages as well as crops. start: the checkpoint that training goes on from. marked: each region is printed on
    a colour of its own, and of crops only the beginnings are learnt: so a model this small comes to tell crops
    apart, which the mean loss over long texts hardly asks of it.
    """

    family: str
    shape: Shape = field(default_factory=Shape)
    whole: bool = False
    marked: bool = False
    start: str | None = None
    steps: int = 300
    rows: int = 2
    capacity: int = 1024
    seed: int = 1
    rate: float = 4e-3
    matrix_rate: float = 0.02


class Beginnings(Crops):
    """Crops by turns whole and with the first ``FIRST`` tokens of their texts; pages whole."""

    def __next__(self) -> Example:
        example = super().__next__()
        whole = len(example.response) > 1000 or self.position % 3 == 0
        return example if whole else replace(example, response=example.response[:FIRST])


class Unending(Packer):
    """Rows in which texts that were cut off do not learn to end there."""

    def make(self, documents: list[Document], rng: np.random.Generator) -> Row:
        row = super().make(documents, rng)
        for number, document in enumerate(documents):
            if len(document.example.response) == FIRST:
                slots = row.slots
                last = (slots.doc == number) & (slots.role == CLEAN) & (slots.index == FIRST - 1)
                row.ar_labels[last] = IGNORE
        return row


def _marked(family: str, start: str) -> Tiny:
    shape = {"steps": 80, "rows": 1, "capacity": 2560, "rate": 1e-3, "matrix_rate": 1e-3}
    return Tiny(family, whole=True, marked=True, start=start, **shape)  # type: ignore[arg-type]


TINY = {
    "region": Tiny("glm_ocr"),
    "region-small": Tiny("glm_ocr", Shape(64, 1)),
    "page-qwen2.5-plain": Tiny("qwen2_5_vl", whole=True, rows=1, capacity=2560),
    "page-qwen3-plain": Tiny("qwen3_vl", whole=True, steps=220, rows=1, capacity=2560, seed=2),
    "page-qwen2.5": _marked("qwen2_5_vl", "page-qwen2.5-plain"),
    "page-qwen3": _marked("qwen3_vl", "page-qwen3-plain"),
}
CONVERTED = "region-self-spec"


def printed(marked: bool = False) -> list[PrintedPage]:
    """The pages that all checkpoints know."""
    return make_pages(PAGES, SEED, marked)


def tokenizer() -> PreTrainedTokenizerFast:
    """The tokenizer of all checkpoints."""
    rng = random.Random(1)
    texts = [page.text for page in make_pages(20, SEED + 1)]
    return make_tokenizer([*texts, *(" ".join(rng.choices(words(), k=50)) for _ in range(200))])


def data_of(tiny: Tiny, folder: Path) -> Path:
    """What a checkpoint learns from."""
    if tiny.whole:
        return write_data(printed(tiny.marked), folder / ("marked" if tiny.marked else "pages"), whole=True)
    return write_data(printed(), folder / "crops", scales=SCALES)


def train(name: str, folder: Path) -> Path:
    """Train one checkpoint causally, unless it is there; returns its folder."""
    out, tiny = folder / name, TINY[name]
    if (out / "trained.txt").is_file():
        return out
    data = data_of(tiny, folder)
    target = load_target(BUILDERS[tiny.family](out, tokenizer(), tiny.shape, tiny.seed), device="cpu")
    if tiny.start:
        known = load_target(train(tiny.start, folder), device="cpu").model
        # Its vision tower is left behind: the rates that teach texts by heart in minutes saturate it.
        target.model.model.language_model.load_state_dict(known.model.language_model.state_dict())
        target.model.lm_head.load_state_dict(known.lm_head.state_dict())
    learner = TransformersLearner(target)
    eos = min(target.stop_ids - {target.tokenizer.convert_tokens_to_ids(PAD)})
    settings = Settings(
        steps=tiny.steps,
        rows=tiny.rows,
        capacity=tiny.capacity,
        rate=tiny.rate,
        matrix_rate=tiny.matrix_rate,
        warmup=20,
        decay=tiny.steps // 3,
        precision="fp32",
        seed=tiny.seed,
        log_every=20,
        minutes=60,
    )
    recipe = Recipe(eos, 0, eos, BLOCK, joint=False)
    documents = (Beginnings if tiny.marked else Crops)(learner, read_crops(data), tiny.seed)
    trainer = Trainer(learner, recipe, settings, documents, out / "run")
    if tiny.marked:
        trainer.packer = Unending(recipe, tiny.capacity, tiny.rows)
    trainer.run()
    target.model.eval().save_pretrained(out)
    target.processor.save_pretrained(out)
    (out / "trained.txt").write_text(f"{tiny}\n", encoding="utf-8")
    return out


def train_converted(
    folder: Path, schedule: Schedule = Schedule.UNIFORM, steps: int = 300, name: str = CONVERTED
) -> Path:
    """``galley train convert`` of ``region``, unless it is there; returns its folder."""
    out = folder / name
    if not (out / "block_diffusion.json").is_file():
        start = train("region", folder)
        settings = Settings(
            steps=steps,
            rows=2,
            capacity=1024,
            rate=2e-3,
            matrix_rate=0.02,
            warmup=20,
            decay=steps // 3,
            precision="fp32",
            log_every=20,
            minutes=60,
        )
        convert(start, folder / "crops" / "data.jsonl", out, settings, BLOCK, schedule, device="cpu")
    return out


def main() -> None:
    names = [*TINY, CONVERTED]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*", default=names, choices=names, metavar="NAME")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--threads", type=int, default=1)
    options: Any = parser.parse_args()
    torch.set_num_threads(options.threads)
    np.random.seed(0)
    for name in options.names:
        start = time.monotonic()
        made = train_converted(options.folder) if name == CONVERTED else train(name, options.folder)
        print(f"{made}: {time.monotonic() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
