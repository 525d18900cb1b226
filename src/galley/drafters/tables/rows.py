"""Which lines of text make one row: wrapped cells belong together, rules and bands keep rows apart.

Two neighbouring lines are judged by a logistic model of layout features (spacing, columns used, whether
a line had space for the next one's first word, how the text goes on). Its weights were fitted on rendered
tables.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, repeat

import numpy as np

from galley.drafters.tables.pieces import Piece
from galley.drafters.tables.row_weights import BIAS, WEIGHTS

_NUMERIC = re.compile(r"^[\W\d]*\d[\W\d]*[%a-zA-Z]?$")
_OPEN_END = re.compile(r"([-–—,;:(/+=&]|\b(and|or|of|the|to|in|for|with|a|an|by|on|from|und|der|die|de|la))$")
_OUTDENT = 0.6
"""In text heights."""
_PAIRS = (
    ("new_columns", "overlap_in_height"),
    ("new_columns", "text_goes_on"),
    ("new_columns", "space_left"),
    ("new_columns", "step_is_large"),
    ("space_left", "text_goes_on"),
    ("text_goes_on", "step_is_large"),
    ("space_left", "step_is_large"),
)
Features = dict[str, float]
"""Numbers that tell whether a line starts a row, by name; always the same names in the same order."""
_GOES_ON = re.compile(r"^[a-zà-ÿ)\]},.;:]")


@dataclass
class Placed:
    """A line of text with the columns each piece touches: ``spans[i]`` = (first, last) column of ``pieces[i]``."""

    pieces: list[Piece]
    spans: list[tuple[int, int]]

    @property
    def columns(self) -> set[int]:
        """Columns that its pieces touch."""
        return {c for first, last in self.spans for c in range(first, last + 1)}

    @property
    def top(self) -> float:
        """Usual upper edge of its pieces, y in pixels."""
        return float(np.median([piece.y0 for piece in self.pieces]))

    @property
    def bottom(self) -> float:
        """Usual lower edge of its pieces, y in pixels."""
        return float(np.median([piece.y1 for piece in self.pieces]))

    @property
    def middle(self) -> float:
        """Half way between both, y in pixels."""
        return (self.top + self.bottom) / 2


def starts_row(
    stretches: list[list[Placed]], bounds: list[tuple[float, float]], em: float, closed: bool
) -> list[list[float]]:
    """For each line, the log odds that it starts a new row; the first line of a stretch always does.

    stretches: lines between separators. bounds: for each column the (left, right) that its text may fill.
    em: text height in pixels. closed: True when the table's cells are drawn.
    """
    return [
        [math.inf, *map(_odds, pairwise(lines), features, repeat(em), repeat(len(bounds)))] if lines else []
        for lines, features in zip(stretches, pair_features(stretches, bounds, em, closed), strict=True)
    ]


def _odds(pair: tuple[Placed, Placed], features: Features, em: float, cols: int) -> float:
    return math.inf if _is_outdented(*pair, em) or _are_full(*pair, cols) else _new_row(features)


def _are_full(above: Placed, below: Placed, cols: int) -> bool:
    """Whether two lines fill all of three columns or more and no text of the second goes on from the first.

    Cells seldom wrap all at once.
    """
    full = cols >= 3 and len(above.columns) == len(below.columns) == cols
    return full and not any(
        _GOES_ON.match(low.text) or _OPEN_END.search(top.text)
        for top, low in zip(above.pieces, below.pieces, strict=False)
    )


def _is_outdented(above: Placed, below: Placed, em: float) -> bool:
    """Whether a label alone in its line begins further left than the one above.

    A wrapped line does not, unless it is centred or flush right.
    """
    if below.columns != {0} or 0 not in above.columns:
        return False
    a, b = above.pieces[0], below.pieces[0]
    return min(a.x0 - b.x0, abs((a.x0 + a.x1) - (b.x0 + b.x1)) / 2, abs(a.x1 - b.x1)) > _OUTDENT * em


def group_rows(lines: list[Placed], odds: list[float]) -> list[list[Placed]]:
    """Rows of one stretch's lines, cut where ``odds`` say so and between lines of figures in the same columns."""
    cuts = [i for i, odd in enumerate(odds) if odd > 0]
    groups = [list(range(a, b)) for a, b in pairwise([*cuts, len(lines)])]
    done: list[list[Placed]] = []
    while groups:
        group = groups.pop(0)
        cut = _repeat(lines, group, odds)
        if cut is None:
            done.append([lines[i] for i in group])
        else:
            groups[:0] = [[i for i in group if i < cut], [i for i in group if i >= cut]]
    return done


def _repeat(lines: list[Placed], group: list[int], odds: list[float]) -> int | None:
    """Where to cut a row that holds figures above figures, which do not wrap.

    There are such figures in two columns or more, or in one of lines that fill the same three columns or more.
    """
    main: int | None = None
    for i in group:
        figures = _figures(lines[i])
        if not figures:
            continue
        if main is not None and _is_like(lines[main], lines[i], figures):
            return max(range(main + 1, i + 1), key=lambda k: odds[k])
        if len(figures) >= 2 or len(lines[i].columns) >= 3:
            main = i
    return None


def _is_like(above: Placed, below: Placed, figures: set[int]) -> bool:
    shared = len(figures & _figures(above))
    return shared >= 2 or (shared == 1 and above.columns == below.columns and len(below.columns) >= 3)


def _figures(line: Placed) -> set[int]:
    """Columns in which the line has a figure; one in brackets may well belong to the one above it."""
    return {
        first
        for piece, (first, last) in zip(line.pieces, line.spans, strict=True)
        if first == last and is_figure(piece)
    }


def is_figure(piece: Piece) -> bool:
    """Whether a piece is a number that stands for itself, not one in brackets."""
    return bool(_NUMERIC.match(piece.text)) and piece.text[0] not in "([±"


def _new_row(features: Features) -> float:
    """Log odds that the second line of a pair starts a row."""
    return BIAS + sum(WEIGHTS[name] * value for name, value in features.items())


def pair_features(
    stretches: list[list[Placed]], bounds: list[tuple[float, float]], em: float, closed: bool
) -> list[list[Features]]:
    """Features of each line and its next within each stretch, each number within about -2 to 2."""
    lines = [line for stretch in stretches for line in stretch]
    steps = [(b.middle - a.middle) / em for a, b in pairwise(lines)]
    low, high = (float(np.percentile(steps, q)) for q in (5, 95)) if steps else (0.0, 0.0)
    drawn = sum(bool(stretch) for stretch in stretches) / max(1, len(lines))
    table = {"separators": drawn, "closed_cells": float(closed), "separators × closed_cells": drawn * closed}
    found = []
    for stretch in stretches:
        features = []
        for i, (above, below) in enumerate(pairwise(stretch)):
            before = stretch[i - 1] if i else None
            after = stretch[i + 2] if i + 2 < len(stretch) else None
            step = (below.middle - above.middle) / em
            basic = _layout(above, below, before, after, bounds, em) | _spacing(step, low, high)
            features.append(basic | table | _products(basic))
        found.append(features)
    return found


def _products(basic: Features) -> Features:
    """Features that only tell together.

    New columns with overlap, with how the text goes on, with space left and spacing.
    """
    return {f"{a} × {b}": basic[a] * basic[b] for a, b in _PAIRS}


def _spacing(step: float, low: float, high: float) -> Features:
    """The step down, how much steps vary, and whether this one is large.

    In text heights; the last from -1, as small as any, to 1.
    """
    place = (step - low) / (high - low) if high - low > 0.15 else 0.5
    sure = min(1.0, 3 * (high - low))
    return {
        "step": min(step, 4.0) - 1.5,
        "step_varies": min(high - low, 2.0),
        "step_is_large": sure * 2 * (min(max(place, 0.0), 1.0) - 0.5),
    }


def _layout(
    above: Placed,
    below: Placed,
    before: Placed | None,
    after: Placed | None,
    bounds: list[tuple[float, float]],
    em: float,
) -> Features:
    """Which columns the lines use, what their text is like, and whether the upper one had space left."""
    count = len(bounds)
    top, low = above.columns, below.columns
    shared = top & low
    new = low - top
    texts = [piece.text for piece in below.pieces]
    over = [
        p
        for p, (a, b) in zip(above.pieces, above.spans, strict=True)
        if any(c in low for c in range(a, b + 1))
    ]
    return {
        "columns_below": len(low) / count,
        "columns_above": len(top) / count,
        "new_columns": len(new) / len(low),
        "dropped_columns": len(top - low) / len(top),
        "first_column_below": float(min(low) == 0),
        "first_column_above": float(min(top) == 0),
        "same_columns": float(low == top),
        "first_column_only_above": float(0 in top and 0 not in low),
        "space_left": _space_left(above, below, bounds, em),
        "text_goes_on": _mean(bool(_GOES_ON.match(text)) for text in texts),
        "open_end_above": _mean(bool(_OPEN_END.search(piece.text)) for piece in over),
        "figures_below": _mean(bool(_NUMERIC.match(text)) for text in texts),
        "overlap_in_height": float(above.bottom - below.top > 0.25 * em),
        "columns_of_line_before": float(
            before is not None and before.columns & low != set() and not before.columns & top
        ),
        "columns_of_line_after": float(
            after is not None and after.columns & top != set() and not after.columns & low
        ),
        "single_column": float(count == 1),
        "shared_columns": len(shared) / count,
    }


def _shares_only(columns: set[int], those: set[int], others: set[int]) -> bool:
    """Whether a line uses some of those columns and none of the others."""
    return bool(columns & those) and not columns & others


def _mean(values: Iterable[bool]) -> float:
    found = [float(value) for value in values]
    return sum(found) / len(found) if found else 0.0


def _space_left(above: Placed, below: Placed, bounds: list[tuple[float, float]], em: float) -> float:
    """-1 to 1: how far the upper line had space for the first word below it.

    Space that was not used means a new row.
    """
    spaces = []
    for piece, span in zip(below.pieces, below.spans, strict=True):
        for upper, upper_span in zip(above.pieces, above.spans, strict=True):
            if span == upper_span:
                left, right = bounds[span[0]][0], bounds[span[1]][1]
                first = piece.words[0].bbox.width + 0.25 * em
                spaces.append(math.tanh(((right - left) - (upper.x1 - upper.x0) - first) / (2 * em)))
    return sum(spaces) / len(spaces) if spaces else 0.0
