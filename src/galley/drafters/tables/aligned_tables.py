"""Tables without drawn cells: rows of short texts that stand below each other, with or without rules between them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.tables.pieces import Piece, cut_pieces, text_height, words_of
from galley.drafters.tables.textlines import is_tall, text_lines
from galley.ingest.page_vectors import PageVectors

LONG_CELL = 40
"""Characters of a text that is hardly a cell."""
MEAN_CELL = 24
"""Characters of a cell on average, at most."""
LEAST_ROWS = 3
"""Rows of three cells and more of a table that nothing is drawn for."""
LEAST_COLUMNS = 3
LEAST_FIGURES = 0.4
"""Share of its cells, but those of its first column, that are figures."""
BLANK = 2.6
"""Text heights of white space at which a table without rules ends."""
WIDE_RULE = 8.0
"""Text heights; shorter rules bound no table."""
SAME_END = 1.0
"""Text heights between the ends of rules that bound one table."""
FARTHEST = 25.0
"""Text heights between two rules of one table."""
ROWS_IN_RULES = 2
"""Rows of two cells and more between rules."""
ROWS_SHARE = 0.6
"""Share of the rows between rules that are such rows."""
_LEADER = re.compile(r"\.{4,}|(\. ){3,}|…{2,}|_{4,}")
_FIGURE = re.compile(
    r"[(\[<>≤≥~±+\-\u2212–—$€£¥%*\s]*\d[\d\s.,:/%()\[\]±+\-\u2212–—$€£¥*†‡]*|[-–—\u2212]+|n/?a", re.IGNORECASE
)


def find_aligned_tables(lines: list[TextLine], vectors: PageVectors) -> list[tuple[BBox, bool]]:
    """Boxes of tables, and whether rules or fills of one width bound them; else figures in columns tell them.

    lines: the page's. vectors: the rules and fills that its file draws.
    """
    words = words_of(lines)
    em = text_height(words)
    pieces = [piece for piece in cut_pieces(words, em, []) if not is_tall(piece, em)]
    rows = text_lines(pieces, em)
    bounded, plain = _between_rules(rows, vectors, em), _columns_of_figures(rows, em)
    return [*((box, True) for box in bounded), *((box, False) for box in plain)]


def is_figure_text(text: str) -> bool:
    """Whether a text is a figure with its sign, unit or currency, or stands for one that is missing."""
    return bool(_FIGURE.fullmatch(text.strip()))


def _between_rules(rows: list[list[Piece]], vectors: PageVectors, em: float) -> list[BBox]:
    marks = _marks(vectors, em)
    found: list[BBox] = []
    while len(marks):
        same = (np.abs(marks[:, [0, 2]] - marks[0, [0, 2]]) <= SAME_END * em).all(axis=1)
        group, marks = marks[same], marks[~same]
        group = group[np.argsort(group[:, 1])]
        cuts = np.flatnonzero(group[1:, 1] - group[:-1, 3] > FARTHEST * em) + 1
        for run in np.split(group, cuts):
            box = BBox(
                x0=float(run[:, 0].min()),
                y0=float(run[:, 1].min()),
                x1=float(run[:, 2].max()),
                y1=float(run[:, 3].max()),
            )
            if len(run) > 1 and _holds_rows(rows, box):
                found.append(box)
    return found


def _marks(vectors: PageVectors, em: float) -> NDArray[np.float64]:
    """(n, 4) wide level rules, and fills as high as a row or a few."""
    rules = vectors.rules[vectors.horizontal]
    height = vectors.fills[:, 3] - vectors.fills[:, 1]
    fills = vectors.fills[(height >= 0.8 * em) & (height <= 6 * em)]
    marks = np.concatenate([rules, fills])
    return marks[marks[:, 2] - marks[:, 0] >= WIDE_RULE * em]


def _holds_rows(rows: list[list[Piece]], box: BBox) -> bool:
    inside = [own for row in rows if (own := [piece for piece in row if _is_inside(piece, box)])]
    several = [row for row in inside if len(row) > 1]
    texts = [piece.text for row in inside for piece in row]
    return (
        len(several) >= ROWS_IN_RULES
        and len(several) >= ROWS_SHARE * len(inside)
        and float(np.mean([len(text) for text in texts])) <= MEAN_CELL
        and sum(len(text) > LONG_CELL for text in texts) <= 0.1 * len(texts)
        and not _has_leaders(texts)
    )


def _is_inside(piece: Piece, box: BBox) -> bool:
    slack = 0.1 * piece.height
    return box.y0 < piece.middle < box.y1 and piece.x0 >= box.x0 - slack and piece.x1 <= box.x1 + slack


def _has_leaders(texts: Sequence[str]) -> bool:
    """Whether dots lead the eye, as in a table of contents."""
    return any(_LEADER.search(text) for text in texts)


def _columns_of_figures(rows: list[list[Piece]], em: float) -> list[BBox]:
    found: list[BBox] = []
    block: list[list[Piece]] = []
    for row in [*rows, []]:
        if block and row and _goes_on(block, row, em):
            block.append(row)
            continue
        found += _box_of(block)
        block = [row] if _is_start(row) else []
    return found


def _is_start(row: list[Piece]) -> bool:
    return len(row) >= LEAST_COLUMNS and all(len(piece.text) <= LONG_CELL for piece in row)


def _goes_on(block: list[list[Piece]], row: list[Piece], em: float) -> bool:
    """Whether a row follows closely and each of its pieces keeps to a column."""
    if min(p.y0 for p in row) - max(p.y1 for p in block[-1]) > BLANK * em:
        return False
    columns = _columns([p for above in block for p in above])
    touched = [sum(a < p.x1 and b > p.x0 for a, b in columns) for p in row]
    outside = row[0].x1 < columns[0][0] or row[-1].x0 > columns[-1][1]
    return not outside and max(touched) <= 1 and all(len(p.text) <= LONG_CELL for p in row[1:])


def _columns(pieces: Sequence[Piece]) -> list[tuple[float, float]]:
    """What pieces cover from left to right, overlapping ones together."""
    found: list[tuple[float, float]] = []
    for piece in sorted(pieces, key=lambda piece: piece.x0):
        if found and piece.x0 < found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], piece.x1))
        else:
            found.append((piece.x0, piece.x1))
    return found


def _box_of(block: list[list[Piece]]) -> list[BBox]:
    """The box around a block of rows that is a table."""
    block = _without_last_lines(block)
    pieces = [piece for row in block for piece in row]
    if sum(len(row) >= LEAST_COLUMNS for row in block) < LEAST_ROWS:
        return []
    columns = _columns(pieces)
    values = [piece.text for piece in pieces if piece.x0 > columns[0][1]]
    figures = sum(map(is_figure_text, values))
    if len(columns) < LEAST_COLUMNS or figures < LEAST_FIGURES * len(values) or _has_leaders(values):
        return []
    return [
        BBox(
            x0=min(piece.x0 for piece in pieces),
            y0=min(piece.y0 for piece in pieces),
            x1=max(piece.x1 for piece in pieces),
            y1=max(piece.y1 for piece in pieces),
        )
    ]


def _without_last_lines(block: list[list[Piece]]) -> list[list[Piece]]:
    """The rows without single texts at the end, which are the text below."""
    rows = list(block)
    while rows and len(rows[-1]) == 1:
        rows.pop()
    return rows
