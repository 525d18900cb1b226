"""The rows of the papers' tables that can be had on a CPU: each prints Markdown tables and writes JSON.

    python tools/papers/train.py                # the tiny checkpoints, once
    python tools/papers/run.py tau              # one row; without a name all of them
    python tools/papers/run.py --list

Run with OMP_NUM_THREADS=1: seconds are CPU seconds of this process, and ratios are those of one run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import decoding_rows
import hardware_rows
import hsd_rows
import precision_rows
import torch
import training_rows
import transformers
from measure import Table
from train import FOLDER

ROWS: dict[str, Callable[[], list[Table]]] = {
    "tau": decoding_rows.tau,
    "n": decoding_rows.n,
    "noise": decoding_rows.noise,
    "content": decoding_rows.content,
    "peers": decoding_rows.peers,
    "batch": hardware_rows.batch,
    "roofline": hardware_rows.roofline,
    "vision": hardware_rows.vision,
    "hsd": hsd_rows.hsd,
    "hsd-pieces": hsd_rows.ablation,
    "labels": training_rows.labels,
    "bf16": precision_rows.bf16,
}
"""Rows by name."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--list", action="store_true", help="say what each row is, and end")
    parser.add_argument("--out", type=Path, default=FOLDER / "results", help="folder of the JSON files")
    options = parser.parse_args()
    if unknown := [name for name in options.rows if name not in ROWS]:
        parser.error(f"there is no row {unknown[0]}; there are {', '.join(ROWS)}")
    if options.list:
        for name, row in ROWS.items():
            print(f"{name:12} {row.__doc__}")
        return
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    for name in options.rows or ROWS:
        for number, table in enumerate(ROWS[name]()):
            table.write(options.out / f"{name}-{number + 1}.json")
            print(f"\n{table.markdown()}", flush=True)


if __name__ == "__main__":
    main()
