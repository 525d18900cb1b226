"""UniMER-Test's formulas: a text file for each split, whose line n belongs to picture n."""

from __future__ import annotations

from pathlib import Path

from galley.errors import InputError
from galley.evaluation.samples import Sample

SPLITS = ("spe", "cpe", "sce", "hwe")
"""Simple and complex printed, screen-captured and handwritten expressions."""


def load(data: Path) -> list[Sample]:
    """Formulas that have a picture, ``<split>/<line, from 0, seven digits>.png``; ``data`` is the folder of
    the splits or the one above it.
    """
    root = data / "test" if (data / "test").is_dir() else data
    samples = [sample for split in SPLITS for sample in _split(root, split)]
    if not samples:
        raise InputError(
            f"{data} holds none of {', '.join(f'{split}.txt' for split in SPLITS)} with pictures"
        )
    return samples


def _split(root: Path, split: str) -> list[Sample]:
    file = root / f"{split}.txt"
    if not file.is_file():
        return []
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    samples = []
    for number, line in enumerate(lines):
        picture = root / split / f"{number:07d}.png"
        if line.strip() and picture.is_file():
            samples.append(Sample(f"{split}/{picture.stem}", line.strip(), picture, split))
    return samples
