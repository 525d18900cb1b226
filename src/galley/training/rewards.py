"""Rewards in [0, 1] for what a model wrote, computable without rendering (GravityOCR)."""

from __future__ import annotations

import re

from lxml import html
from rapidfuzz.distance import Levenshtein

from galley.evaluation.omnidocbench.normalise import formula as comparable_formula
from galley.evaluation.teds import teds
from galley.targets.prompt import Task

MALFORMED = 0.5
"""Factor for markup that does not close, and for LaTeX whose braces or environments do not pair."""
_TAG = re.compile(r"<(/?)(table|thead|tbody|tr|t[dh])\b[^>]*>")
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([^}]*)\}")
_TOKEN = re.compile(r"\\[a-zA-Z]+|\\.|\S")
_LONE = re.compile(r"(?<!\\)\{ (\S+) \}")
_DELIMITER = re.compile(r"\\(left|right)\b")


def text_reward(written: str, truth: str) -> float:
    """1 − normalised edit distance."""
    return float(Levenshtein.normalized_similarity(written, truth))


def table_reward(written: str, truth: str) -> float:
    """Half structure (TEDS-S), half what the cells hold, less where the markup is broken or runs on."""
    structure = teds(written, truth, structure_only=True)
    content = Levenshtein.normalized_similarity(_cells(written), _cells(truth))
    penalty = 1.0 if _closed(written) else MALFORMED
    # Markup that runs on: as many cells again as there are, and the rest halves.
    penalty *= min(1.0, 2 * max(truth.count("<td"), 1) / max(written.count("<td"), 1))
    return float((structure + content) / 2 * penalty)


def formula_reward(written: str, truth: str) -> float:
    """Edit similarity of canonical LaTeX, scaled down when it is not well formed."""
    similarity = Levenshtein.normalized_similarity(canonical_latex(written), canonical_latex(truth))
    return float(similarity * (1.0 if well_formed_latex(written) else MALFORMED))


def reward(task: Task, written: str, truth: str) -> float:
    """The reward of a task; pages are Markdown and count as text."""
    rewards = {Task.TABLE: table_reward, Task.FORMULA: formula_reward}
    return rewards.get(task, text_reward)(written, truth)


def canonical_latex(latex: str) -> str:
    """A formula in the form in which it is compared.

    Fonts, spacing and tags are left out, as are braces around a single token; tokens stand apart.
    """
    tokens = " ".join(_TOKEN.findall(comparable_formula(latex)))
    return _LONE.sub(r"\1", tokens)


def well_formed_latex(latex: str) -> bool:
    r"""Whether braces, environments and ``\left``/``\right`` pair up."""
    depth = 0
    for char in re.sub(r"\\.", "", latex):
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    opened: list[str] = []
    for kind, name in _ENVIRONMENT.findall(latex):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    sides = _DELIMITER.findall(latex)
    return depth == 0 and not opened and sides.count("left") == sides.count("right")


def _closed(markup: str) -> bool:
    """Whether table tags nest and close."""
    opened: list[str] = []
    for slash, name in _TAG.findall(markup):
        if not slash:
            opened.append(name)
        elif not opened or opened.pop() != name:
            return False
    return not opened and "<table" in markup


def _cells(markup: str) -> str:
    """Text of all cells, one character between them that no text holds."""
    if "<t" not in markup:
        return ""
    root = html.fromstring(f"<div>{markup}</div>")
    return "\x1f".join("".join(cell.itertext()).strip() for cell in root.iter("td", "th"))
