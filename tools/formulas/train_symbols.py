"""Train the classifier of formula symbols on what ``render_symbols.py`` printed and ``count_symbols.py``
counted, and export it.

    python tools/formulas/train_symbols.py --glyphs .build/formulas --out src/galley/drafters/formulas/weights
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from render_symbols import EM
from symbols import symbols
from torch import Tensor, nn

from galley.drafters.formulas.symbol_image import symbol_image

Ink = NDArray[np.uint8]


class Classifier(nn.Module):
    """pictures (n, 32, 32) of ink, 0 to 1, and shapes (n,), log(height / width) → log-probabilities."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(48, 96, 3, padding=1), nn.BatchNorm2d(96), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(),
        )  # fmt: skip
        self.middle = nn.Linear(96 * 16 + 4, 192)
        self.last = nn.Linear(192, classes)

    def forward(self, pictures: Tensor, shapes: Tensor) -> Tensor:
        shape = shapes[:, None].clamp(-2.5, 2.5)
        about = torch.cat([shape, shape**2 / 4, torch.sin(2 * shape), torch.cos(2 * shape)], 1)
        found = torch.cat([self.features(pictures[:, None]), about], 1)
        return self.last(F.dropout(F.relu(self.middle(found)), 0.2, self.training)).log_softmax(1)


def worn(ink: Ink, chance: random.Random) -> Ink:
    """The ink as a scan or a rendering at some resolution shows it, 12 to 70 pixels to the em."""
    picture = Image.fromarray(ink)
    picture = Image.fromarray(np.pad(ink, 12))
    stroke = chance.random()
    if stroke < 0.2:
        picture = picture.filter(ImageFilter.MaxFilter(chance.choice((3, 5))))
    elif stroke < 0.3:
        picture = picture.filter(ImageFilter.MinFilter(3))
    scale = 2 ** chance.uniform(np.log2(12), np.log2(70)) / EM
    size = tuple(max(3, round(side * scale * chance.uniform(0.94, 1.06))) for side in picture.size)
    picture = picture.rotate(chance.gauss(0, 1.2), Image.Resampling.BILINEAR).resize(
        size, Image.Resampling.BOX
    )
    if chance.random() < 0.5:
        picture = picture.filter(ImageFilter.GaussianBlur(chance.uniform(0.2, 0.8)))
    found = np.asarray(picture).astype(np.float32)
    if chance.random() < 0.3:
        found = np.where(found > chance.uniform(90, 160), 255.0, 0.0)
    else:
        found = found * chance.uniform(0.75, 1.2) + np.random.default_rng(chance.getrandbits(32)).normal(
            0, 6, found.shape
        )
    return trimmed(np.clip(found, 0, 255).astype(np.uint8))


def trimmed(ink: Ink) -> Ink:
    marked = ink > 70
    rows, columns = np.flatnonzero(marked.any(1)), np.flatnonzero(marked.any(0))
    if not len(rows):
        return ink
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return np.where(cut > 40, cut, 0).astype(np.uint8)


def no_symbol(glyphs: list[Ink], chance: random.Random) -> Ink:
    """Two symbols that touch or stand over each other, or a part of one."""
    first, second = chance.choice(glyphs), chance.choice(glyphs)
    if chance.random() < 0.25 and min(first.shape) > 30:
        share = chance.uniform(0.35, 0.65)
        return (
            first[:, : round(first.shape[1] * share)]
            if chance.random() < 0.5
            else first[: round(first.shape[0] * share)]
        )
    gap = chance.randrange(-6, 14)
    if chance.random() < 0.5:
        first, second = first.T, second.T
        return beside(first, second, gap).T
    return beside(first, second, gap)


def beside(first: Ink, second: Ink, gap: int) -> Ink:
    height = max(len(first), len(second))
    gap = max(gap, -min(first.shape[1], second.shape[1]) + 1)
    both = np.zeros((height, first.shape[1] + second.shape[1] + gap), np.uint8)
    top = (height - len(first)) // 2
    both[top : top + len(first), : first.shape[1]] = first
    top = (height - len(second)) // 2
    place = both[top : top + len(second), both.shape[1] - second.shape[1] :]
    np.maximum(place, second, out=place)
    return both


def samples(
    glyphs: list[Ink], labels: NDArray[np.int64], each: int, empty: int, seed: int
) -> tuple[Tensor, Tensor, Tensor]:
    chance = random.Random(seed)
    pictures, shapes, wanted = [], [], []
    for glyph, label in zip(glyphs, labels.tolist(), strict=True):
        for _ in range(each):
            other = chance.random() < 0.06
            picture, shape = symbol_image(worn(no_symbol(glyphs, chance) if other else glyph, chance))
            pictures.append(picture)
            shapes.append(shape)
            wanted.append(empty if other else label)
    return torch.from_numpy(np.stack(pictures)), torch.tensor(shapes), torch.tensor(wanted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--glyphs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=10, help="pictures of each glyph an epoch")
    parser.add_argument("--epochs", type=int, default=12)
    options = parser.parse_args()
    torch.manual_seed(0)
    classes = symbols()
    data = np.load(options.glyphs / "glyphs.npz")
    labels = data["labels"]
    glyphs = [data[f"g{number}"] for number in range(len(labels))]
    model = Classifier(len(classes))
    optimiser = torch.optim.AdamW(model.parameters(), 2e-3, weight_decay=1e-3)
    held = samples(glyphs, labels, 1, len(classes) - 1, seed=-1)
    batch, steps = 256, options.epochs * options.each * len(glyphs) // 256
    rate = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, steps + options.epochs)
    for epoch in range(options.epochs):
        pictures, shapes, wanted = samples(glyphs, labels, options.each, len(classes) - 1, seed=epoch)
        model.train()
        order = torch.randperm(len(wanted))
        for chosen in order.split(batch):
            loss = F.nll_loss(model(pictures[chosen].float() / 255, shapes[chosen]), wanted[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            rate.step()
        model.eval()
        with torch.no_grad():
            found = model(held[0].float() / 255, held[1])
        right = (found.argmax(1) == held[2]).float().mean()
        top = (found.topk(4, 1).indices == held[2][:, None]).any(1).float().mean()
        print(f"epoch {epoch}  loss {loss.item():.3f}  right {right:.4f}  among four {top:.4f}", flush=True)
        torch.save(model.state_dict(), options.glyphs / "symbols.pt")
    table, shares = (
        json.loads((options.glyphs / name).read_text()) for name in ("metrics.json", "shares.json")
    )
    export(model, table, shares, options.out)


def export(model: Classifier, table: dict[str, dict[str, Any]], shares: dict[str, float], out: Path) -> None:
    """``symbols.onnx`` and ``symbols.json``: per class its LaTeX, top, bottom and width in ems, pieces and share."""
    out.mkdir(parents=True, exist_ok=True)
    batch = torch.export.Dim("batch")
    program = torch.onnx.export(
        model.eval(),
        (torch.zeros(2, 32, 32), torch.zeros(2)),
        dynamo=True,
        input_names=["pictures", "shapes"],
        output_names=["log_probabilities"],
        dynamic_shapes=({0: batch}, {0: batch}),
        verbose=False,
    )
    assert program is not None
    program.save(str(out / "symbols.onnx"))
    metrics, pieces = table["metrics"], table["pieces"]
    rows = [[s.name, metrics.get(s.name), pieces.get(s.name, 1), shares[s.name]] for s in symbols()]
    lines = ",\n".join(json.dumps(row) for row in rows)
    (out / "symbols.json").write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
