"""CDM of many formula pairs, with what could not be drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from galley.evaluation.cdm import cdm_all

_SHOWN = 80


@dataclass
class Batch:
    """Scores of many pairs of formulas.

    Attributes:
        f1: F1 score of each pair, 0 to 1.
        undrawn: Predictions that TeX cannot draw; they score 0.
        problems: Failures of the truth or of TeX; their 0 says nothing about the prediction.
    """

    f1: list[float]
    undrawn: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def cdm_batch(
    pairs: Sequence[tuple[str, str]], cache: Path, *, workers: int, say: Callable[[str], None]
) -> Batch:
    """CDM of (predicted, true) pairs, each different pair once; drawings are kept in ``cache``."""
    unique = list(dict.fromkeys(pairs))
    say(f"drawing {len(unique)} formula pairs for CDM")
    scores = dict(zip(unique, cdm_all(unique, cache, workers=workers), strict=True))
    batch = Batch([scores[pair].f1 for pair in pairs])
    for (predicted, true), score in scores.items():
        if score.problem:
            shown = true if score.failed else predicted
            listed = batch.problems if score.failed else batch.undrawn
            listed.append(f"CDM 0: {score.problem}: {shown[:_SHOWN]!r}")
    return batch
