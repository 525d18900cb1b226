"""Character detection matching: two drawn formulas compared token by token.

Tokens are assigned by kind, place and order. Pairs that a common shift and scale cannot bring together are
taken out again (Wang et al. 2024, "CDM: A Reliable Metric for Fair and Accurate Formula Recognition
Evaluation", section 4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist

Floats = NDArray[np.float64]

KIND, PLACE, ORDER = 1.0, 0.05, 0.15
"""Weights of the three costs."""
ALIKE = 0.05
"""Cost of two tokens that look the same and are written differently."""
SAMPLE, TRIALS, ROUNDS, REACH = 3, 50, 3, 25.0
"""RANSAC: points a fit starts from, fits tried in a round, rounds, and pixels a token may be off."""


@dataclass(frozen=True)
class Drawing:
    """A drawn formula.

    Attributes:
        tokens: The tokens that left pixels on the image.
        boxes: Their boxes (n, 4) as x0, y0, x1, y1 in pixels.
        size: Width and height of the image in pixels.
    """

    tokens: list[str]
    boxes: Floats
    size: tuple[int, int]


@dataclass(frozen=True)
class Matching:
    """Matched tokens and all tokens of both sides."""

    matched: int
    predicted: int
    true: int

    @property
    def f1(self) -> float:
        """2·matched / (predicted + true), to three digits as the reference reports it."""
        return round(2 * self.matched / (self.predicted + self.true), 3)


def match(true: Drawing, predicted: Drawing) -> Matching:
    """Both drawings must hold ink."""
    kinds = _kind_costs(true.tokens, predicted.tokens)
    places = cdist(_relative(true), _relative(predicted), "cityblock") / 4
    orders = cdist(_order(true), _order(predicted), "cityblock")
    rows, columns = linear_sum_assignment(KIND * kinds + PLACE * places + ORDER * orders)
    close = _consistent(_centres(true.boxes)[rows], _centres(predicted.boxes)[columns])
    matched = int(np.count_nonzero(close & (kinds[rows, columns] < 1)))
    return Matching(matched, len(predicted.tokens), len(true.tokens))


def _kind_costs(true: list[str], predicted: list[str]) -> Floats:
    same = np.array(true)[:, None] == np.array(predicted)[None]
    looks = [np.array([look(token) for token in tokens]) for tokens in (true, predicted)]
    alike = looks[0][:, None] == looks[1][None]
    costs: Floats = np.where(same, 0.0, np.where(alike, ALIKE, 1.0))
    return costs


_LOOKS = {
    r"\cdot": ".",
    r"\mid": "|",
    r"\to": r"\rightarrow",
    r"\top": "T",
    r"\prime": "'",
    r"\ast": "*",
    r"\left\langle": r"\langle",
    r"\right\rangle": r"\rangle",
    r"\leq": r"\le",
    r"\geq": r"\ge",
    r"\lVert": r"\|",
    r"\rVert": r"\|",
    r"\Vert": r"\|",
    r"\lvert": "|",
    r"\rvert": "|",
    r"\vert": "|",
}
_SIZED = re.compile(r"\\(?:left|right|[bB]igg?[lrm]?)(?![a-z])")


def look(token: str) -> str:
    """One name for tokens that are drawn alike: delimiters of any size, arrows of any length."""
    token = _LOOKS.get(token, token)
    sized = _SIZED.match(token)
    if sized and sized.end() < len(token):
        token = token[sized.end() :]
        token = _LOOKS.get(token, token)
    for arrow in ("rightarrow", "leftarrow"):
        if token.endswith(arrow):
            return f"\\{arrow}"
    return re.sub(r"^\\wide(?=[a-z])", r"\\", token)


def _relative(drawing: Drawing) -> Floats:
    width, height = drawing.size
    return drawing.boxes / np.array([width, height, width, height])


def _order(drawing: Drawing) -> Floats:
    count = len(drawing.tokens)
    return np.arange(count)[:, None] / count


def _centres(boxes: Floats) -> Floats:
    return (boxes[:, 1::-1] + boxes[:, 3:1:-1]) / 2


def _consistent(source: Floats, target: Floats) -> NDArray[np.bool_]:
    """Which point pairs agree with some shift and scale; each round fits those that are left."""
    inliers = np.full(len(source), len(source) <= SAMPLE)
    for _ in range(ROUNDS):
        left = np.flatnonzero(~inliers)
        if len(left) <= SAMPLE:
            break
        found = _ransac(source[left], target[left])
        if not found.any():
            break
        inliers[left[found]] = True
    return inliers


def _ransac(source: Floats, target: Floats) -> NDArray[np.bool_]:
    """Mark the largest set of pairs that one shift and scale brings within reach.

    Among sets of the same size it is the one with the least error.
    """
    generator = np.random.default_rng(42)
    best, best_key = np.zeros(len(source), dtype=bool), (0, -np.inf)
    trials, trial = float(TRIALS), 0
    while trial < trials:
        trial += 1
        sample = generator.choice(len(source), SAMPLE, replace=False)
        errors = _residuals(source, target, *_fit(source[sample], target[sample]))
        inliers = errors < REACH
        key = (int(np.count_nonzero(inliers)), -float(errors @ errors))
        if key > best_key:
            best, best_key = inliers, key
            trials = min(trials, _enough_trials(key[0] / len(source)))
    return best


def _enough_trials(inlier_share: float) -> float:
    """Fits after which a sample without outliers has surely been drawn, to machine precision."""
    tiny = float(np.finfo(float).eps)
    missed = float(np.clip(1 - inlier_share**SAMPLE, tiny, 1 - tiny))
    return float(np.ceil(np.log(tiny) / np.log(missed))) if inlier_share else np.inf


def _fit(source: Floats, target: Floats) -> tuple[Floats, float]:
    """Shift of the centres and ratio of the mean distances from them."""
    shift = target.mean(axis=0) - source.mean(axis=0)
    spread = [np.linalg.norm(points - points.mean(axis=0), axis=1).mean() for points in (source, target)]
    return shift, float(spread[1] / (spread[0] + 1e-10))


def _residuals(source: Floats, target: Floats, shift: Floats, scale: float) -> Floats:
    centre = source.mean(axis=0)
    moved = scale * (source - centre) + centre + shift
    errors: Floats = np.sqrt(((moved - target) ** 2).sum(axis=1))
    return errors
