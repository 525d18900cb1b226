"""Fit the row model of the table reader on rendered tables and write its weights.

python tools/fit_table_rows.py .build/tables/train
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.bench_tables import Sample, rendered

from galley.document import Table
from galley.drafters.tables.frame import outline
from galley.drafters.tables.page_rulings import page_rulings
from galley.drafters.tables.pieces import Piece, cut_pieces, text_height, words_of
from galley.drafters.tables.reader import text_extent
from galley.drafters.tables.rows import Features, Placed, pair_features

RIDGE = 1e-3
WEIGHTS_FILE = Path(__file__).resolve().parents[1] / "src/galley/drafters/tables/row_weights.py"


def true_row(line: Placed, table: Table) -> int | None:
    """The row most of a line's pieces stand in; cells over several rows do not count."""
    rows = [row for piece in line.pieces if (row := _row_of(piece, table)) is not None]
    return max(set(rows), key=rows.count) if rows else None


def _row_of(piece: Piece, table: Table) -> int | None:
    x, y = (piece.x0 + piece.x1) / 2, piece.middle
    for cell in table.cells:
        b = cell.bbox
        if b and b.x0 <= x <= b.x1 and b.y0 <= y <= b.y1:
            return cell.row if cell.rowspan == 1 else None
    return None


def pairs(sample: Sample, table: Table) -> tuple[list[Features], list[bool]]:
    """Features of neighbouring lines and whether the second starts a row."""
    words = words_of(sample.lines or [])
    em = text_height(words)
    rulings = page_rulings(sample.image, sample.bbox, words, em)
    plan = outline(cut_pieces(words, em, rulings.vertical), rulings, text_extent(sample.bbox, words), em)
    facts, labels = [], []
    for lines, found in zip(
        plan.stretches, pair_features(plan.stretches, plan.bounds, em, plan.closed), strict=True
    ):
        rows = [true_row(line, table) for line in lines]
        for fact, (above, below) in zip(found, pairwise(rows), strict=True):
            if above is not None and below is not None:
                facts.append(fact)
                labels.append(above != below)
    return facts, labels


def fit(facts: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logistic regression, bias first; wraps and row starts weigh the same in total."""
    x = np.hstack([np.ones((len(facts), 1)), facts])
    weight = np.where(labels > 0, 0.5 / labels.mean(), 0.5 / (1 - labels.mean())) ** 0.5

    def loss(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = x @ w
        error = 1 / (1 + np.exp(-z)) - labels
        value = (weight * (np.logaddexp(0, z) - labels * z)).mean() + RIDGE * (w[1:] ** 2).sum()
        grad = x.T @ (weight * error) / len(x)
        grad[1:] += 2 * RIDGE * w[1:]
        return float(value), grad

    found: NDArray[np.float64] = minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x
    return found


def folder_pairs(folder: Path) -> list[tuple[list[Features], list[bool]]]:
    """``pairs`` of every table in a folder."""
    entries = (folder / "index.jsonl").read_text(encoding="utf-8").splitlines()
    tables = [Table.model_validate(json.loads(entry)["table"]) for entry in entries]
    return [pairs(sample, table) for sample, table in zip(rendered(folder), tables, strict=True)]


def main() -> None:
    found = [found for folder in sys.argv[1:] for found in folder_pairs(Path(folder))]
    named = [features for some, _ in found for features in some]
    names = list(named[0])
    facts = np.array([[features[name] for name in names] for features in named])
    labels = np.array([label for _, ls in found for label in ls], dtype=float)
    w = fit(facts, labels)
    z = w[0] + facts @ w[1:]
    print(
        f"{len(labels)} pairs, {1 - labels.mean():.3f} wraps; wrong: "
        f"{np.mean(z[labels == 0] > 0):.3f} of wraps, {np.mean(z[labels == 1] <= 0):.3f} of row starts"
    )
    numbers = "".join(f'    "{name}": {v:.3f},\n' for name, v in zip(names, w[1:], strict=True))
    WEIGHTS_FILE.write_text(
        '"""Weights of the row model by the feature of ``rows.pair_features``, as fitted by '
        'tools/fit_table_rows.py."""\n\n'
        f"BIAS = {w[0]:.3f}\nWEIGHTS = {{\n{numbers}}}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
