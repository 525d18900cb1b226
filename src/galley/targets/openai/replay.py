"""Decoding what a server wrote once more, so that its text is judged like that of every other model.

The judgement is where the text repeats itself and which drafts support it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from galley.decoding import Decoder, DraftMatching, Request, Result, ScoreDetail, Scores, TokenKey, Window
from galley.decoding.window import Ids

STOP = 0


@dataclass
class _Place:
    """How many tokens the cache holds."""

    length: int = 0


class Replay:
    """A target that writes one known text and predicts the stop token off it."""

    stop_ids = frozenset({STOP})
    mask_id: int | None = None
    block_size: int | None = None

    def __init__(self, ids: Sequence[int], vocab_size: int) -> None:
        self.vocab_size = vocab_size
        self._script = np.array([*ids, STOP], dtype=np.int64)

    def prefill(
        self, prompts: Sequence[None], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[tuple[_Place, Scores]]:
        """See ``Target.prefill``."""
        return [(_Place(), Scores(self._script[:1])) for _ in prompts]

    def forward(
        self, items: Sequence[tuple[_Place, Window]], detail: ScoreDetail = ScoreDetail.ARGMAX
    ) -> list[Scores]:
        """See ``Target.forward``."""
        return [Scores(self._after(place.length, window)) for place, window in items]

    def commit(self, handle: _Place, slots: Ids) -> None:
        """See ``Target.commit``."""
        handle.length += len(slots)

    def release(self, handle: _Place) -> None:
        """See ``Target.release``; there is nothing to free."""

    def _after(self, start: int, window: Window) -> Ids:
        """(n,) the token after each slot whose path is on the script."""
        places = start + window.depths
        last = len(self._script) - 1
        right = (places < last) & (window.tokens == self._script[np.minimum(places, last)])
        if window.causal:
            right = np.logical_and.accumulate(right)
        else:
            for slot, parent in enumerate(window.parents):
                right[slot] &= parent < 0 or right[parent]
        return np.where(right, self._script[np.minimum(places + 1, last)], STOP)


def replayed(ids: Sequence[int], request: Request, vocab_size: int, key: TokenKey) -> Result:
    """The result that ``request`` would have if its model had written ``ids`` here.

    Args:
        ids: what the server wrote.
        request: what was asked.
        vocab_size: one more than the largest id.
        key: what tokens are compared by.

    Returns:
        A result with a trace, ended where it runs into a loop. Its log-probabilities are not known.
    """
    again = Request(
        None,
        drafts=request.drafts,
        max_tokens=len(ids) + 1,
        loop_guard=request.loop_guard,
        confidence=False,
    )
    [result] = Decoder(Replay(ids, vocab_size), DraftMatching(), key=key).run([again])
    return result
