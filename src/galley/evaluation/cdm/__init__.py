"""CDM: formulas compared as they look, drawn by TeX, token by token (Wang et al. 2024).

Needs ``pdflatex`` and ``pdftoppm``. A formula that cannot be drawn scores 0 *and* says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from galley.evaluation.cdm.latex import LatexError
from galley.evaluation.cdm.match import match
from galley.evaluation.cdm.render import SECONDS, RenderError, draw, require_renderer
from galley.evaluation.parallel import map_limited

__all__ = ["CdmScore", "cdm", "cdm_all", "require_renderer"]


@dataclass(frozen=True)
class CdmScore:
    """How well one predicted formula matches the true one when both are drawn.

    Attributes:
        f1: F1 score of matched tokens, 0 to 1.
        problem: Why a formula could not be drawn. An empty prediction is no problem.
        failed: The truth or the renderer is at fault, so a score of 0 says nothing about the prediction.
    """

    f1: float
    problem: str | None = None
    failed: bool = False


def cdm(predicted: str, true: str, cache: Path) -> CdmScore:
    """Compare two LaTeX formulas, with or without delimiters; drawings are kept in ``cache``.

    Identical formulas are drawn too: one that TeX cannot draw is a problem of the truth, not a match.
    """
    predicted, true = _without_delimiters(predicted), _without_delimiters(true)
    try:
        drawn_true = draw(true, cache)
    except (LatexError, RenderError) as error:
        return CdmScore(0.0, f"the true formula cannot be drawn: {error}", failed=True)
    if not predicted:
        return CdmScore(0.0)
    try:
        return CdmScore(match(drawn_true, draw(predicted, cache)).f1)
    except (LatexError, RenderError) as error:
        return CdmScore(0.0, f"the predicted formula cannot be drawn: {error}")


def cdm_all(
    pairs: Sequence[tuple[str, str]],
    cache: Path,
    *,
    workers: int,
    progress: Callable[[int, int], None] | None = None,
) -> list[CdmScore]:
    """``cdm`` of (predicted, true) pairs in parallel; raises ``ModelError`` when there is no renderer."""
    require_renderer()
    jobs = [(predicted, true, cache) for predicted, true in pairs]
    outcomes = map_limited(_job, jobs, workers=workers, seconds=5 * SECONDS, progress=progress)
    return [outcome.value or CdmScore(0.0, outcome.problem, failed=True) for outcome in outcomes]


def _job(job: tuple[str, str, Path]) -> CdmScore:
    return cdm(*job)


def _without_delimiters(latex: str) -> str:
    """Without code fence and dollar delimiters."""
    if "```" in latex:
        latex = latex.split("```latex")[-1].split("```")[0]
    return latex.strip().strip("$").strip()
