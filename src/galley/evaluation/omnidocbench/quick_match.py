"""``quick_match``, OmniDocBench's pairing of true and predicted blocks of a page.

Captions and page furniture take their predictions out first. Predicted lines that are pieces of one true line
are joined, lines are assigned to each other at the least total edit distance, pairs too far apart are undone,
true lines found inside a prediction are joined to it, and what is left over is assigned once more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from galley.evaluation.omnidocbench import normalise
from galley.evaluation.omnidocbench.fuzzy import cost_matrix, window_distance
from galley.evaluation.omnidocbench.merge import SURE, Run, join, joined_runs
from galley.evaluation.omnidocbench.prediction import Element, Kind
from galley.evaluation.omnidocbench.truth import CAPTIONS_AND_FURNITURE, FORMULA, TEXT_CATEGORIES, Truth

TOO_FAR = 0.7
INSIDE = 0.4
"""A true line within this distance of a part of a prediction is taken to be inside it."""

Pair = tuple[list[int], list[int]]
"""Indices of true lines and of the predicted lines they are paired with."""


@dataclass
class Match:
    """True blocks and the predictions paired with them; either side may be empty.

    ``positions`` are the true blocks' orders (``None`` without one); ``start`` is the first prediction's,
    ``None`` without one.
    """

    true_indices: list[int]
    predicted_indices: list[int]
    true: str
    predicted: str
    norm_true: str
    norm_predicted: str
    true_category: str
    predicted_category: str = ""
    positions: list[float | None] = field(default_factory=list)
    start: int | None = None
    attributes: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class _Line:
    """A block as it is matched.

    Attributes:
        item: The block whose order, category and attributes the reference reads for it. The reference leaves out
            lines whose normal form is empty but does not shorten its list of blocks with them.
    """

    index: int
    source: str
    norm: str
    category: str
    item: Any


def quick_match(truths: list[Truth], predictions: Iterable[Element], *, simple: bool = False) -> list[Match]:
    """Matches of a page's text and formula blocks; those of captions and page furniture are not returned.

    Args:
        truths: The annotated elements.
        predictions: The predicted ones.
        simple: Assign whole lines only, which no page is too large for.
    """
    true_lines = _true_lines(_split_true_arrays(truths))
    predicted = _predicted_lines(_split_predicted_arrays(_sorted_predictions(predictions)))
    if len(true_lines) == 1 and len(predicted) == 1:
        pairs = [([0], [0])]
    else:
        predicted = _without_furniture(true_lines, predicted)
        true_lines = [line for line in true_lines if line.category not in CAPTIONS_AND_FURNITURE]
        norms = [line.norm for line in true_lines], [line.norm for line in predicted]
        pairs = _simple_pairs(*norms) if simple else _pairs(*norms)
    matches = (_match([true_lines[i] for i in left], [predicted[i] for i in right]) for left, right in pairs)
    return [match for match in matches if match.true_category not in CAPTIONS_AND_FURNITURE]


def _true_lines(truths: list[Truth]) -> list[_Line]:
    kept = [(truth, norm) for truth in truths if (norm := _norm(truth)) and truth.content]
    return [_Line(i, t.content, norm, t.category, truths[i]) for i, (t, norm) in enumerate(kept)]


def _norm(truth: Truth) -> str:
    form = normalise.text if truth.category in TEXT_CATEGORIES else normalise.formula
    return form(truth.content)


def _predicted_lines(elements: list[Element]) -> list[_Line]:
    forms = {Kind.TEXT: normalise.text, Kind.FORMULA: normalise.formula}
    kept = [(e, norm) for e in elements if (norm := forms[e.kind](e.content)) and e.content]
    return [_Line(i, e.content, norm, e.category, elements[i]) for i, (e, norm) in enumerate(kept)]


def _sorted_predictions(predictions: Iterable[Element]) -> list[Element]:
    """By place on the page; formulas written inline come last, so that display ones are preferred."""
    return sorted(predictions, key=lambda element: (element.inline, element.start))


def _without_furniture(true_lines: list[_Line], predicted: list[_Line]) -> list[_Line]:
    furniture = [line.norm for line in true_lines if line.category in CAPTIONS_AND_FURNITURE]
    costs = cost_matrix(furniture, [line.norm for line in predicted])
    taken = set(np.nonzero(costs < SURE)[1].tolist())
    return [line for index, line in enumerate(predicted) if index not in taken]


def _pairs(true: list[str], predicted: list[str]) -> list[Pair]:
    """Groups of true indices with the predicted indices they share."""
    runs = joined_runs(cost_matrix(true, predicted), true, predicted)
    costs = cost_matrix(true, [join(predicted, run) for run in runs])
    groups: dict[Run, list[int]] = {}
    matched: set[int] = set()
    for row, column in zip(*linear_sum_assignment(costs), strict=True):
        if costs[row, column] <= TOO_FAR:
            groups[runs[column]] = [int(row)]
            matched.add(int(row))
    unmatched = [row for row in range(len(true)) if row not in matched]
    for index, line in enumerate(predicted):
        inside = [row for row in unmatched if _inside(true[row], line)]
        if inside:
            groups.setdefault((index,), []).extend(row for row in inside if row not in matched)
            matched.update(inside)
    return _with_leftovers(groups, true, predicted)


def _inside(line: str, predicted: str) -> bool:
    distance = window_distance(predicted, line, INSIDE)
    return distance is not None and distance < INSIDE


def _with_leftovers(groups: dict[Run, list[int]], true: list[str], predicted: list[str]) -> list[Pair]:
    """Adds the pairs of what is left on both sides, then true lines without any prediction."""
    pairs = [(sorted(rows), list(run)) for run, rows in groups.items() if rows]
    matched = {row for rows in groups.values() for row in rows}
    used = {index for run in groups for index in run}
    # Ties are common here, and the reference breaks them by the iteration order of these very sets.
    rows, columns = list(set(range(len(true))) - matched), list(set(range(len(predicted))) - used)
    costs = cost_matrix([true[row] for row in rows], [predicted[index] for index in columns])
    for i, j in zip(*linear_sum_assignment(costs), strict=True):
        pairs.append(([rows[i]], [columns[j]]))
        matched.add(rows[i])
    return pairs + [([row], []) for row in range(len(true)) if row not in matched]


def _simple_pairs(true: list[str], predicted: list[str]) -> list[Pair]:
    assigned = {
        int(i): [int(j)] for i, j in zip(*linear_sum_assignment(cost_matrix(true, predicted)), strict=True)
    }
    return [([row], assigned.get(row, [])) for row in range(len(true))]


def _match(true: list[_Line], predicted: list[_Line]) -> Match:
    category = Counter(line.category for line in true).most_common(1)[0][0]
    predicted_category = predicted[0].item.category if predicted else ""
    sources = [line.source for line in true]
    predicted_sources = [line.source for line in predicted]
    return Match(
        true_indices=[line.index for line in true],
        predicted_indices=[line.index for line in predicted],
        true=_stacked(sources) if category == FORMULA and len(true) > 1 else "".join(sources),
        predicted=_stacked(predicted_sources)
        if "equation" in predicted_category and len(predicted) > 1
        else "".join(predicted_sources),
        norm_true="".join(line.norm for line in true),
        norm_predicted="".join(line.norm for line in predicted),
        true_category=category,
        predicted_category=predicted_category,
        positions=[line.item.order or None for line in true],
        start=predicted[0].item.start if predicted else None,
        attributes=[line.item.attribute for line in true],
    )


def _stacked(formulas: list[str]) -> str:
    """Several formulas as the lines of one."""
    lines = " \\\\ ".join("{" + formula.strip("$").strip("\n") + "}" for formula in formulas)
    return f"\\begin{{array}}{{l}} {lines} \\end{{array}}"


_ARRAY = re.compile(r"\\begin\{array\}\{(?P<columns>[^}]*)\}(?P<body>.*?)\\end\{array\}", re.S)
_COLUMN_SPACING = re.compile(r"[\s|]|[@!]\{[^}]*\}")


def _array_lines(latex: str) -> tuple[int, list[str]] | None:
    """Where the first array's body starts and its lines, if it has a single column; a matrix stays whole."""
    array = _ARRAY.search(latex)
    if array is None or _COLUMN_SPACING.sub("", array["columns"]) not in ("l", "c", "r"):
        return None
    return array.start("body"), [line.strip() for line in array["body"].split("\\\\") if line.strip()]


def _split_true_arrays(truths: list[Truth]) -> list[Truth]:
    split: list[Truth] = []
    for truth in truths:
        lines = _array_lines(truth.content) if truth.category == FORMULA else None
        if lines is None:
            split.append(truth)
            continue
        for number, line in enumerate(lines[1], start=1):
            order = round((truth.order or 0) + number / 10, 1)
            split.append(replace(truth, content=f"\\[{line}\\]", order=order))
    return split


def _split_predicted_arrays(elements: list[Element]) -> list[Element]:
    split: list[Element] = []
    for element in elements:
        lines = _array_lines(element.content) if element.kind == Kind.FORMULA else None
        if lines is None:
            split.append(element)
            continue
        position = lines[0]
        for line in lines[1]:
            position = max(element.content.find(line, position), position)
            split.append(replace(element, content=f"\\[{line}\\]", start=element.start + position))
            position += len(line)
    return split
