"""Letters that a line shows and its reading does not hold.

A recogniser that does not know a script drops its letters and is sure of the commas between them, so that its
confidence says nothing. The ink does: every letter is some frames of ink, near the frame of a character that was read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_TALL = 14
"""Pixels of 48 that ink spans from top to bottom in a frame that shows part of a letter: rules, dots and commas span
less."""
_CONTRAST = 0.35
"""Of the line's strongest contrast to its ground, from which on a pixel is ink."""
_REACH = 3
"""Frames of 8 pixels to either side that the widest letters cover."""
_NEAR = 1
"""Frames to either side that ordinary letters cover."""
_LEAST_EXPLAINED = 0.85
"""Of 2,700 lines of 58 real pages in scripts that the recogniser knows, 0.5 % have less."""
_LEAST_CONFIDENCE = 0.65
"""A line read less surely than this, though all of it, is most often another script read as what it resembles."""
_LEAST_FRAMES = 12
"""Frames with letters: shorter lines say too little."""


@dataclass(frozen=True)
class LetterInk:
    """How much of a line's ink its reading explains.

    Attributes:
        frames: frames that show parts of letters.
        explained: share of them that the widest letters at the characters' places would cover, 0 to 1.
        near: share of them that ordinary letters would cover, 0 to 1. Single letters that were left out inside words
            lower this one alone.
    """

    frames: int = 0
    explained: float = 1.0
    near: float = 1.0

    def is_unread(self, text: str, confidence: float) -> bool:
        """Whether a line is to be taken for unread, given its reading and how sure that is."""
        if self.frames < _LEAST_FRAMES:
            return False
        return not text.strip() or self.explained < _LEAST_EXPLAINED or confidence < _LEAST_CONFIDENCE


def ink_mask(pixels: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which pixels of a (height, width) grey line are ink, whatever is dark or light on what."""
    contrast = np.abs(pixels - np.median(pixels))
    return np.asarray(contrast > _CONTRAST * max(float(np.percentile(contrast, 98)), 1e-3))


def letter_ink(ink: NDArray[np.bool_], text: str, char_frames: NDArray[np.int64]) -> LetterInk:
    """Compare a line's ink with its reading.

    Args:
        ink: (48, 8 * frames), its ``ink_mask``.
        text: what was read.
        char_frames: (len(text),) the frame of each character.
    """
    shown = _letter_frames(ink)
    frames = int(shown.sum())
    if not frames:
        return LetterInk()
    places = [int(frame) for letter, frame in zip(text, char_frames, strict=True) if letter != " "]
    return LetterInk(
        frames,
        float((shown & _covered(len(shown), places, _REACH)).sum()) / frames,
        float((shown & _covered(len(shown), places, _NEAR)).sum()) / frames,
    )


def _letter_frames(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(frames,) whether each 8 columns of a (48, 8 * frames) line show part of a letter."""
    height = len(ink)
    cells = np.asarray(ink.reshape(height, -1, 8).any(axis=2), np.bool_)
    spans = height - cells[::-1].argmax(axis=0) - cells.argmax(axis=0)
    return cells.any(axis=0) & (spans >= _TALL)


def _covered(frames: int, places: Iterable[int], reach: int) -> NDArray[np.bool_]:
    covered = np.zeros(frames, bool)
    for place in places:
        covered[max(place - reach, 0) : place + reach + 1] = True
    return covered


def mean_near(inks: Iterable[LetterInk]) -> float:
    """``near`` of several lines together; 1 for none."""
    known = [ink for ink in inks if ink.frames >= _LEAST_FRAMES]
    frames = sum(ink.frames for ink in known)
    return sum(ink.near * ink.frames for ink in known) / frames if frames else 1.0
