"""Print lines, read them with the recogniser and keep what it saw: the data set that training pages are
composed from.

    python tools/data/build_lines.py --corpus FOLDER --out .build/nano/lines --first 1 --count 20

Shard ``n`` depends on ``n`` alone, so shards can be made in any order, by several processes, and again.
Shards from 9000 on are made from held-out texts, for validation.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

from degrade import degrade
from fonts import FontChooser, find_faces
from render import Printed, cut_line, print_sample
from texts import Sample, Texts

from galley.drafters.ocr.recognition import Recogniser
from galley.runtime import set_threads
from galley.training.nano.lines import PrintedLine, Unit, write_shard

HELD_OUT = 9000


def build_shard(
    number: int, lines: int, texts: Texts, fonts: FontChooser, reader: Recogniser, out: Path
) -> int:
    """Make one shard of about ``lines`` lines; returns how many it holds."""
    texts.seed(number)
    rng = random.Random(number)
    printed, crops = [], []
    for sample in texts:
        page = _print(sample, fonts, rng)
        if page is None or not page.lines:
            continue
        scan = degrade(page.image, rng)
        printed.append(page)
        crops += [cut_line(scan, line.box, page.size, rng) for line in page.lines]
        if len(crops) >= lines:
            break
    readings = iter(reader.encode(crops))
    units = []
    for page in printed:
        entries = []
        for line, reading in zip(page.lines, readings, strict=False):
            entries.append(
                PrintedLine(
                    line.text,
                    line.tail,
                    line.box,
                    line.cell,
                    reading.text,
                    reading.char_frames,
                    reading.confidence,
                    reading.features,
                )
            )
        units.append(Unit(page.kind, page.size, entries))
    write_shard(out / f"shard-{number:05d}.npz", units)
    return len(crops)


def _print(sample: Sample, fonts: FontChooser, rng: random.Random) -> Printed | None:
    text = "".join(sample.lines) + "".join(cell.text for cell in sample.cells)
    face = fonts.draw(rng, text)
    return print_sample(sample, face, rng) if face else None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", type=Path, required=True, help="folder with text.tsv.gz and the tables")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--lines", type=int, default=1000, help="lines per shard")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--fonts", type=Path, help="folder of fonts; those installed unless given")
    options = parser.parse_args()
    set_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    fonts = FontChooser(find_faces(options.out.parent / "fonts.json", options.fonts))
    texts, reader = Texts(options.corpus, held_out=options.first >= HELD_OUT), Recogniser()
    for number in range(options.first, options.first + options.count):
        if (options.out / f"shard-{number:05d}.npz").exists():
            continue
        start = time.monotonic()
        lines = build_shard(number, options.lines, texts, fonts, reader, options.out)
        print(f"shard {number}: {lines} lines, {lines / (time.monotonic() - start):.1f} lines/s", flush=True)


if __name__ == "__main__":
    main()
