"""Text detection: page image → rotated boxes of text lines (PP-OCRv6, differentiable binarization)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.ocr.onnx_denormals import flush_denormals
from galley.drafters.ocr.text_quads import text_quads
from galley.runtime import package_file, session

_KERNEL = 0.3
_UNCLIP = 1.6
_LEAST_SCORE = 0.5
_STEP = 32
_LONG_SIDE = 1536
_SHORT_SIDE = 480
_MAX_ENLARGEMENT = 2.0
_MAX_PIXELS = 5.0e6
_SMALL_LINE = 14.0
"""Boxes lower than this, in pixels of the map, come from lines that begin to be merged or missed."""
_GOOD_LINE = 16.0
_HALO = 2.0
"""Pixels of the map that a low line's box is too high by."""
_INK = 24
_MARGIN = 32


class LineDetector:
    """PP-OCRv6 small detector.

    What the page holds, without its blank margins, is looked at small first (1,536 pixels long), which suits most;
    where its lines turn out too low for that, it is looked at again as large as they need. Margins not only cost
    time: the network weighs each pixel by the whole, and a little text in much blank fades.
    """

    def __init__(self) -> None:
        path = package_file("rapidocr", "models/PP-OCRv6_det_small.onnx")
        self._session = session(flush_denormals(path.read_bytes()))

    def detect(self, image: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Text boxes of an (height, width, 3) uint8 RGB image: quads (n, 4, 2) in its pixels, scores (n,)."""
        window = content_window(image)
        if window is None:
            return np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32)
        content = image[window]
        height, width = content.shape[:2]
        scale = _first_scale(height, width)
        quads, scores = self._detect(content, scale)
        closer = _closer_scale(quads, height, width, scale)
        if closer > scale:
            quads, scores = self._detect(content, closer)
        return quads + np.array([window[1].start, window[0].start], np.float32), scores

    def _detect(
        self, image: NDArray[np.uint8], scale: float
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        height, width = image.shape[:2]
        inner = max(round(height * scale), 1), max(round(width * scale), 1)
        probability = self._probability(image, inner)
        quads, scores = text_quads(probability, threshold=_KERNEL, box_threshold=_LEAST_SCORE, unclip=_UNCLIP)
        quads *= np.array([width / inner[1], height / inner[0]], np.float32)
        return np.clip(quads, 0, np.array([width, height], np.float32)), scores

    def _probability(self, image: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.float32]:
        """(height, width) map at the working ``size``; the network's input is filled up to whole steps."""
        height, width = size
        small = Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR)
        padded = np.zeros((1, 3, -(-height // _STEP) * _STEP, -(-width // _STEP) * _STEP), np.float32)
        padded[0, :, :height, :width] = np.asarray(small).transpose(2, 0, 1) * np.float32(1 / 127.5) - 1
        return self._session.run(None, {"x": padded})[0][0, 0, :height, :width]


def content_window(image: NDArray[np.uint8]) -> tuple[slice, slice] | None:
    """Rows and columns of an (height, width, 3) page without its blank margins; None where all is blank.

    Looked for at half size, so that single specks do not count.
    """
    small = np.asarray(Image.fromarray(image).convert("L").reduce(2), np.int16)
    ink = np.abs(small - int(np.median(small))) > _INK
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    if not len(rows):
        return None
    (top, bottom), (left, right) = (
        (2 * side[0] - _MARGIN, 2 * side[-1] + _MARGIN) for side in (rows, columns)
    )
    return slice(max(top, 0), min(bottom, image.shape[0])), slice(max(left, 0), min(right, image.shape[1]))


def _first_scale(height: int, width: int) -> float:
    """Long side at 1,536 pixels, the short one of a strip not below 480."""
    scale = max(_LONG_SIDE / max(height, width), _SHORT_SIDE / min(height, width))
    return min(scale, _largest_scale(height, width))


def _closer_scale(quads: NDArray[np.float32], height: int, width: int, scale: float) -> float:
    """The scale at which the page's low lines are high enough; ``scale`` itself where they are."""
    if not len(quads):
        return scale
    sides = np.minimum(np.hypot(*(quads[:, 3] - quads[:, 0]).T), np.hypot(*(quads[:, 1] - quads[:, 0]).T))
    low = float(np.percentile(sides, 10))
    if low * scale >= _SMALL_LINE:
        return scale
    return min(scale * _GOOD_LINE / max(low * scale - _HALO, 1.0), _largest_scale(height, width))


def _largest_scale(height: int, width: int) -> float:
    return min(_MAX_ENLARGEMENT, (_MAX_PIXELS / (height * width)) ** 0.5)
