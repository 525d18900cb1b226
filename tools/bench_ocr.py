"""Word F1 and speed of Galley's OCR next to RapidOCR and Tesseract 5, on pages with known text.

    python tools/bench_ocr.py [--pages ../shared/data/realset_dev] [--speed 8] [--kinds receipt,invoice]

The pages folder holds ``index.json``: a list of ``{id, image, truth, truth_type, kind}``. Texts of the two others are
kept in ``.build/bench_ocr`` between runs; ``--speed N`` reads N pages afresh with all three in turn and times them.
"""

from __future__ import annotations

import argparse
import html
import json
import logging
import os
import re
import subprocess
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".build" / "bench_ocr"
Reader = Callable[[Path], str]
Table = dict[str, dict[str, list[float]]]
_MARKS = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "•": " "}
)


def words(text: str) -> Counter[str]:
    """Multiset of lower-cased words; punctuation inside a word stays, punctuation around it does not count."""
    folded = unicodedata.normalize("NFKC", text).translate(_MARKS).lower()
    stripped = (re.sub(r"^\W+|\W+$", "", token) for token in folded.split())
    return Counter(token for token in stripped if token)


def plain(text: str, kind: str) -> str:
    """The words of a truth file without its marks; ``kind`` is its ``truth_type``."""
    if "line boxes" in kind:
        return "\n".join(line.split(",", 8)[-1] for line in text.splitlines() if line.count(",") >= 8)
    if "token boxes" in kind:
        return " ".join(line.split("\t")[0] for line in text.splitlines() if "##LTFigure##" not in line)
    if "latex" in kind or "html" in kind:
        text = re.sub(r"!\[.*?\]\(.*?\)|<[^>]+>", " ", html.unescape(text))
        text = re.sub(r"\\(?:mathrm|mathbf|text|operatorname|left|right|begin|end)\b\*?", " ", text)
        text = re.sub(r"\\[a-zA-Z]+|[{}$&_^\\|#*]", " ", text)
    return text


def f1(found: Counter[str], truth: Counter[str]) -> float:
    shared = sum((found & truth).values())
    total = sum(found.values()) + sum(truth.values())
    return 2 * shared / total if total else 1.0


def galley_reader() -> Reader:
    from galley.drafters.ocr import OcrEngine

    engine = OcrEngine()
    return lambda path: "\n".join(
        line.text for line in engine.read(np.asarray(Image.open(path).convert("RGB")))
    )


def rapidocr_reader() -> Reader:
    logging.disable(logging.INFO)
    from rapidocr import RapidOCR

    engine = RapidOCR()
    return lambda path: "\n".join(getattr(engine(str(path)), "txts", None) or ())


def tesseract_reader() -> Reader:
    environment = {**os.environ, "OMP_THREAD_LIMIT": str(len(os.sched_getaffinity(0)))}
    command = ["tesseract", "-", "-", "--oem", "1", "--psm", "3"]

    def read(path: Path) -> str:
        with path.open("rb") as image:
            done = subprocess.run(
                command, stdin=image, capture_output=True, text=True, env=environment, check=True
            )
        return done.stdout

    return read


def cached(name: str, make: Callable[[], Reader]) -> Reader:
    """A reader that keeps each page's text on disk."""
    readers: list[Reader] = []

    def read(path: Path) -> str:
        kept = CACHE / name / f"{path.name}.txt"
        if not kept.exists():
            readers.extend([make()] if not readers else [])
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_text(readers[0](path))
        return kept.read_text()

    return read


def run(pages: list[dict], folder: Path, readers: dict[str, Reader]) -> tuple[Table, dict[str, float]]:
    """F1 of every page by kind and reader, and seconds per page; the readers take turns on each page."""
    table: Table = {}
    spent = dict.fromkeys(readers, 0.0)
    for page in pages:
        truth = words(plain((folder / page["truth"]).read_text(), page["truth_type"]))
        row = table.setdefault(page["kind"], {name: [] for name in readers})
        for name, read in readers.items():
            start = time.perf_counter()
            text = read(folder / page["image"])
            spent[name] += time.perf_counter() - start
            row[name].append(f1(words(text), truth))
    return table, {name: seconds / max(len(pages), 1) for name, seconds in spent.items()}


def show(table: Table, names: list[str]) -> None:
    everything = {name: [x for row in table.values() for x in row[name]] for name in names}
    print(f"{'kind':24}{'pages':>6}" + "".join(f"{name:>11}" for name in names))
    for kind, row in [*sorted(table.items(), key=lambda item: -len(item[1][names[0]])), ("all", everything)]:
        print(f"{kind:24}{len(row[names[0]]):6}" + "".join(f"{np.mean(row[name]):11.3f}" for name in names))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=Path, default=ROOT.parent / "shared" / "data" / "realset_dev")
    parser.add_argument("--kinds", default="", help="only these kinds, comma-separated")
    parser.add_argument(
        "--speed", type=int, default=0, metavar="N", help="read N pages afresh and time all readers"
    )
    options = parser.parse_args()
    pages = json.loads((options.pages / "index.json").read_text())
    pages = [page for page in pages if not options.kinds or page["kind"] in options.kinds.split(",")]
    makers = {"galley": galley_reader, "rapidocr": rapidocr_reader, "tesseract": tesseract_reader}
    if options.speed:
        pages = pages[:: max(len(pages) // options.speed, 1)][: options.speed]
        readers = {name: make() for name, make in makers.items()}
        run(pages[:1], options.pages, readers)  # loads the models
    else:
        readers = {name: make() if name == "galley" else cached(name, make) for name, make in makers.items()}
    table, seconds = run(pages, options.pages, readers)
    show(table, list(makers))
    if options.speed:
        print(f"{'seconds per page':24}{len(pages):6}" + "".join(f"{seconds[name]:11.2f}" for name in makers))


if __name__ == "__main__":
    main()
