"""A small embedded model, its tokenizer and readings, made from nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from galley.targets.nano.config import NanoConfig
from galley.targets.nano.reading import CHANNELS, SeenLine
from galley.targets.nano.tokens import CONTROL, MARKUP, Vocabulary
from galley.training.nano.lines import PrintedLine, Unit
from galley.training.nano.model import Nano

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "seven",
    "wizards",
    "mix",
    "potions",
    "in",
    "jars",
]


def tiny_vocabulary() -> Vocabulary:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=330, special_tokens=CONTROL, initial_alphabet=alphabet)
    tokenizer.train_from_iterator([" ".join(WORDS)] * 3, trainer)
    tokenizer.add_tokens(MARKUP)
    return Vocabulary(tokenizer)


def tiny_nano(vocabulary: Vocabulary, seed: int = 0) -> Nano:
    """Weights large enough that random predictions depend on what the model sees."""
    torch.manual_seed(seed)
    config = NanoConfig(
        vocab_size=vocabulary.size, width=64, layers=2, heads=4, kv_heads=2, hidden=96, block_size=8
    )
    nano = Nano(config).eval()
    with torch.no_grad():
        for name, parameter in nano.named_parameters():
            if parameter.ndim == 2 and "embedding" not in name:
                parameter.copy_((torch.randn_like(parameter) * 0.25).half().float())
            elif parameter.ndim == 2:
                parameter.copy_((torch.randn_like(parameter) * 0.05).half().float())
    return nano


def seen_line(text: str, top: float = 0.0, left: float = 0.0, seed: int = 0) -> SeenLine:
    """A line whose characters were read three frames apart."""
    rng = np.random.default_rng(seed)
    frames = 3 * max(len(text), 1) + 2
    features = rng.normal(size=(frames, CHANNELS)).astype(np.float16)
    box = (left, top, left + 8.0 * max(len(text), 1), top + 16.0)
    return SeenLine(text, 3 * np.arange(len(text)) + 2, features, box)


def line_units(count: int, seed: int = 0) -> list[Unit]:
    """Paragraphs, stand-alone lines, headings and tables of random words, read with a few errors."""
    rng = np.random.default_rng(seed)

    def line(
        words: int, tail: str, top: float, place: tuple[int, int, int, int] | None = None
    ) -> PrintedLine:
        text = " ".join(rng.choice(WORDS, words))
        read = "".join(rng.choice(list("abc")) if rng.random() < 0.03 else char for char in text)
        left = 120.0 * place[1] if place else 0.0
        seen = seen_line(read, top, left, int(rng.integers(1 << 30)))
        return PrintedLine(text, tail, seen.box, place, read, seen.char_frames, 0.9, seen.features)

    units = []
    for _ in range(count):
        units.append(Unit("paragraph", 16, [line(5, " " if i < 2 else "", 20.0 * i) for i in range(3)]))
        units.append(Unit("lines", 16, [line(2, "\n" if i < 1 else "", 20.0 * i) for i in range(2)]))
        units.append(Unit("heading", 16, [line(2, "", 0.0)]))
        cells = [line(1, "", 20.0 * r, (r, c, 1, 1)) for r in range(4) for c in range(3)]
        units.append(Unit("table", 16, cells))
    return units


def save_vocabulary(vocabulary: Vocabulary, path: Path) -> Path:
    vocabulary.tokenizer.save(str(path))
    return path
