"""TEDS of the table reader on rendered tables (``tools/render_tables.py``) and, where present, real crops.

python tools/bench_tables.py .build/tables/heldout                 # text boxes given
python tools/bench_tables.py .build/tables/heldout --ocr           # text read by the OCR drafter
python tools/bench_tables.py --real ../shared/data                 # PubTabNet-style crops, OmniDocBench
tables
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image

from galley.document import BBox, Table
from galley.document.table_html import table_html
from galley.drafters.line import TextLine, Word
from galley.drafters.ocr import OcrEngine
from galley.drafters.tables import TableReader
from galley.evaluation.teds import teds


@dataclass
class Sample:
    """A table on an image: its box, its text lines when known, its true HTML and the style it is reported
    under."""

    name: str
    style: str
    image: np.ndarray
    bbox: BBox
    lines: list[TextLine] | None
    html: str


def rendered(folder: Path) -> Iterator[Sample]:
    for text in (folder / "index.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(text)
        image = np.array(Image.open(folder / entry["image"]).convert("RGB"))
        lines = [_line(line) for line in entry["lines"]]
        truth = table_html(Table.model_validate(entry["table"]))
        box = BBox(x0=0, y0=0, x1=image.shape[1], y1=image.shape[0])
        yield Sample(entry["image"], entry["style"], image, box, lines, truth)


def _line(entry: dict) -> TextLine:
    x0, y0, x1, y1 = entry["box"]
    words = [Word(w[0], BBox(x0=w[1], y0=w[2], x1=w[3], y1=w[4])) for w in entry["words"]]
    return TextLine(
        entry["text"], BBox(x0=x0, y0=y0, x1=x1, y1=y1), source="pdf-text", words=words, size=y1 - y0
    )


def real(folder: Path) -> Iterator[Sample]:
    crops = json.loads((folder / "realset_dev/crops_index.json").read_text(encoding="utf-8"))
    for entry in crops:
        if entry["kind"] == "table crop":
            image = np.array(Image.open(folder / "realset_dev" / entry["image"]).convert("RGB"))
            box = BBox(x0=0, y0=0, x1=image.shape[1], y1=image.shape[0])
            yield Sample(Path(entry["image"]).stem, "pubtabnet", image, box, None, entry["truth_html"])
    pages = json.loads((folder / "omnidocbench_demo/OmniDocBench_demo.json").read_text(encoding="utf-8"))
    for page in pages:
        for block in page["layout_dets"]:
            if block["category_type"] == "table" and block.get("html"):
                yield _omnidocbench(folder, page["page_info"], block)


def _omnidocbench(folder: Path, info: dict, block: dict) -> Sample:
    page = Image.open(folder / "omnidocbench_demo/images" / info["image_path"]).convert("RGB")
    xs, ys = block["poly"][::2], block["poly"][1::2]
    box = BBox(x0=min(xs), y0=min(ys), x1=max(xs), y1=max(ys))
    return Sample(info["image_path"][:24], "omnidocbench", np.array(page), box, None, block["html"])


def plain(text: str) -> str:
    """Without inline markup, head groups and line breaks, as OmniDocBench compares tables."""
    text = re.sub(r"</?(b|i|sup|sub|span|strong|em|thead|tbody)\b[^>]*>|\n", "", text)
    return re.sub(r">\s+", ">", re.sub(r"\s+<", "<", text))


def read_lines(sample: Sample) -> list[TextLine]:
    b = sample.bbox.padded(2, sample.image.shape[1], sample.image.shape[0])
    x0, y0, x1, y1 = int(b.x0), int(b.y0), int(b.x1), int(b.y1)
    found = ocr_engine().read(np.ascontiguousarray(sample.image[y0:y1, x0:x1]))
    return [_moved(line, x0, y0) for line in found]


@lru_cache
def ocr_engine() -> OcrEngine:
    return OcrEngine()


def _moved(line: TextLine, dx: float, dy: float) -> TextLine:
    line.bbox = _shift(line.bbox, dx, dy)
    for word in line.words:
        word.bbox = _shift(word.bbox, dx, dy)
    return line


def _shift(box: BBox, dx: float, dy: float) -> BBox:
    return BBox(x0=box.x0 + dx, y0=box.y0 + dy, x1=box.x1 + dx, y1=box.y1 + dy)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="rendered tables")
    parser.add_argument("--real", type=Path, help="folder with realset_dev and omnidocbench_demo")
    parser.add_argument("--ocr", action="store_true")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--worst", type=int, default=0, help="list the worst so many")
    args = parser.parse_args()
    samples = real(args.real) if args.real else rendered(args.folder)
    reader, scores, spent = TableReader(), defaultdict(list), []
    for i, sample in enumerate(samples):
        if i >= args.count:
            break
        lines = read_lines(sample) if args.ocr or sample.lines is None else sample.lines
        start = time.perf_counter()
        table = reader.read(sample.image, sample.bbox, lines)
        spent.append(time.perf_counter() - start)
        made = table_html(table) if table else ""
        row = [
            teds(made, sample.html),
            teds(made, sample.html, structure_only=True),
            teds(plain(made), plain(sample.html)),
            teds(plain(made), plain(sample.html), structure_only=True),
        ]
        scores[sample.style].append((sample.name, row))
    print(f"{'style':14} {'n':>4} {'TEDS':>7} {'TEDS-S':>7} | no head groups, no inline tags: TEDS, TEDS-S")
    everything = [row for rows in scores.values() for _, row in rows]
    for style, rows in [*sorted(scores.items()), ("all", [("", row) for row in everything])]:
        mean = np.mean([row for _, row in rows], axis=0)
        print(f"{style:14} {len(rows):4} {mean[0]:7.4f} {mean[1]:7.4f} | {mean[2]:7.4f} {mean[3]:7.4f}")
    print(
        f"{1000 * float(np.median(spent)):.0f} ms a table (median), {1000 * float(np.mean(spent)):.0f} mean"
    )
    named = [(row[3], style, name) for style, rows in scores.items() for name, row in rows]
    for score, style, name in sorted(named)[: args.worst]:
        print(f"{score:.3f} {style} {name}")


if __name__ == "__main__":
    main()
