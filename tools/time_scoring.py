"""How long OmniDocBench's scorer takes for a full benchmark's worth of pages: a small set repeated.

    python tools/time_scoring.py --data OmniDocBench_demo.json --pred end2end/ --pages 1651 --workers 2

Formulas are not drawn. Prints seconds in all, CPU seconds in all, and the slowest pages of one round.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from galley.evaluation.omnidocbench.page_scores import score_page
from galley.evaluation.omnidocbench.scorer import evaluate, prediction_file
from galley.evaluation.omnidocbench.truth import load

_SLOWEST = 5


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--pred", type=Path, required=True)
    parser.add_argument("--pages", type=int, default=1651)
    parser.add_argument("--workers", type=int, default=2)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, pred = _repeated(arguments.data, arguments.pred, arguments.pages, Path(folder))
        started, used = time.perf_counter(), _cpu_seconds()
        evaluation = evaluate(data, pred, cdm=None, workers=arguments.workers)
        wall, used = time.perf_counter() - started, _cpu_seconds() - used
    print(f"{len(evaluation.pages)} pages, {arguments.workers} workers: {wall:.1f} s, {used:.1f} CPU s")
    print(*evaluation.problems, sep="\n")
    for seconds, image in sorted(_times(arguments.data, arguments.pred), reverse=True)[:_SLOWEST]:
        print(f"{seconds:8.3f} s  {image}")


def _repeated(data: Path, pred: Path, pages: int, folder: Path) -> tuple[Path, Path]:
    """An annotation file and a folder of predictions with ``pages`` pages, each under a name of its own."""
    entries = json.loads(data.read_text(encoding="utf-8"))
    made = folder / "pred"
    made.mkdir()
    repeated = []
    for number, entry in enumerate(islice(cycle(entries), pages)):
        info = entry["page_info"]
        name = f"page{number}.png"
        repeated.append({**entry, "page_info": {**info, "image_path": name}})
        source = prediction_file(pred, Path(info["image_path"]).name)
        if source is not None:
            shutil.copy(source, made / f"page{number}.md")
    path = folder / "pages.json"
    path.write_text(json.dumps(repeated), encoding="utf-8")
    return path, made


def _times(data: Path, pred: Path) -> list[tuple[float, str]]:
    times = []
    for page in load(data):
        file = prediction_file(pred, page.image)
        text = file.read_text(encoding="utf-8") if file else ""
        started = time.perf_counter()
        score_page(page, text)
        times.append((time.perf_counter() - started, page.image))
    return times


def _cpu_seconds() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


if __name__ == "__main__":
    main()
