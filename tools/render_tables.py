"""Render corpus tables in many styles, with truth: PNG crops, cell boxes, text lines with word boxes.

python tools/render_tables.py --corpus ../shared/data/train --split heldout --count 150 --out
.build/tables/heldout
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.tables.render import render
from tools.tables.source import corpus_tables, invent_spans
from tools.tables.style import STYLES, random_look

from galley.drafters.line import TextLine

BATCH = 12


def line_json(line: TextLine) -> dict:
    words = [[w.text, w.bbox.x0, w.bbox.y0, w.bbox.x1, w.bbox.y1] for w in line.words]
    return {
        "text": line.text,
        "box": [line.bbox.x0, line.bbox.y0, line.bbox.x1, line.bbox.y1],
        "words": words,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True)
    parser.add_argument("--split", choices=("train", "heldout"), default="train")
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    pool = list(corpus_tables(args.corpus, args.split))
    rng.shuffle(pool)
    chosen = [
        (invent_spans(table, rng), random_look(rng, STYLES[i % len(STYLES)]))
        for i, table in enumerate(islice(pool, args.count))
    ]
    args.out.mkdir(parents=True, exist_ok=True)
    index = []
    for start in range(0, len(chosen), BATCH):
        batch = chosen[start : start + BATCH]
        for (_, look), (image, table, lines) in zip(batch, render(batch, rng), strict=True):
            name = f"{len(index):05d}.png"
            image.save(args.out / name)
            entry = {"image": name, "style": look.style, "table": table.model_dump(mode="json")}
            index.append(
                json.dumps({**entry, "lines": [line_json(line) for line in lines]}, ensure_ascii=False)
            )
    (args.out / "index.jsonl").write_text("\n".join(index) + "\n", encoding="utf-8")
    print(f"{len(index)} tables in {args.out}")


if __name__ == "__main__":
    main()
