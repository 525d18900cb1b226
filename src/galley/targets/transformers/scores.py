"""From logits to ``Scores``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from galley.decoding import ScoreDetail, Scores, Window


def first_scores(logits: Tensor, detail: ScoreDetail) -> list[Scores]:
    """Scores of prefilled prompts.

    Args:
        logits: (batch, vocabulary), the last slot of each prompt.
        detail: what is asked for.
    """
    start = Window(np.zeros(1, np.int64), np.zeros(1, np.int64), np.ones((1, 1), bool), np.full(1, -1))
    return window_scores(logits, [start] * len(logits), detail)


def window_scores(logits: Tensor, windows: Sequence[Window], detail: ScoreDetail) -> list[Scores]:
    """Scores of windows, with what ``detail`` asks for and no more.

    Args:
        logits: (sum of window lengths, vocabulary).
        windows: the windows, in the order of the logits.
        detail: what is asked for.

    Returns:
        One ``Scores`` per window.
    """
    ends = np.cumsum([len(window) for window in windows])
    best = logits.argmax(-1)

    def split(values: Tensor) -> list[NDArray]:
        return np.split(values.cpu().numpy(), ends[:-1])

    if detail is ScoreDetail.ARGMAX:
        return [Scores(ids) for ids in split(best)]
    # In float32 whatever the model's dtype: tau compares small differences.
    norms = torch.logsumexp(logits.float(), dim=-1)
    confidence = split(logits.gather(-1, best[:, None])[:, 0].float() - norms)
    if detail is ScoreDetail.CONFIDENCE:
        return [Scores(*parts) for parts in zip(split(best), confidence, strict=True)]
    drafted = split(_drafted(logits, norms, windows, ends))
    if detail is ScoreDetail.DRAFTED:
        together = zip(split(best), confidence, drafted, strict=True)
        return [Scores(ids, sure, drafted=own) for ids, sure, own in together]
    full, log_norm = split(logits.float() - norms[:, None]), split(norms)
    everything = zip(split(best), confidence, full, drafted, log_norm, strict=True)
    return [Scores(*parts) for parts in everything]


def _drafted(logits: Tensor, norms: Tensor, windows: Sequence[Window], ends: NDArray[np.int64]) -> Tensor:
    """Log-probability of each slot's own token in its parent's prediction; a root's is of no meaning."""
    offsets = ends - [len(window) for window in windows]
    parents = np.concatenate(
        [np.maximum(w.parents, 0) + offset for w, offset in zip(windows, offsets, strict=True)]
    )
    rows = torch.from_numpy(parents).to(logits.device)
    tokens = torch.from_numpy(np.concatenate([w.tokens for w in windows])).to(logits.device)
    return logits[rows, tokens].float() - norms[rows]
