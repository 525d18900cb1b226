"""Text detection: page image → rotated boxes of text lines (PP-OCRv6, differentiable binarization)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.ocr.boxes import text_quads
from galley.drafters.ocr.onnx_denormals import flush_denormals
from galley.runtime import package_file, session

_STEP = 32
_MAX_SIDE = 2016
_MIN_SIDE = 736


class LineDetector:
    """PP-OCRv6 small detector."""

    def __init__(self) -> None:
        path = package_file("rapidocr", "models/PP-OCRv6_det_small.onnx")
        self._session = session(flush_denormals(path.read_bytes()))

    def detect(self, image: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Text boxes of an (height, width, 3) uint8 RGB image: quads (n, 4, 2) in its pixels, scores (n,)."""
        height, width = image.shape[:2]
        inner = _working_size(height, width)
        probability = self._probability(image, inner)
        quads, scores = text_quads(probability, threshold=0.3, box_threshold=0.5, unclip=1.6)
        quads *= np.array([width / inner[1], height / inner[0]], np.float32)
        return np.clip(quads, 0, np.array([width, height], np.float32)), scores

    def _probability(self, image: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.float32]:
        """(height, width) map at the working ``size``; the network's input is padded to whole steps."""
        height, width = size
        small = Image.fromarray(image).resize((width, height), Image.Resampling.BILINEAR)
        padded = np.zeros((1, 3, -(-height // _STEP) * _STEP, -(-width // _STEP) * _STEP), np.float32)
        padded[0, :, :height, :width] = np.asarray(small).transpose(2, 0, 1) * np.float32(1 / 127.5) - 1
        return self._session.run(None, {"x": padded})[0][0, 0, :height, :width]


def _working_size(height: int, width: int) -> tuple[int, int]:
    """Height and width at which an image is looked at."""
    scale = max(1.0, _MIN_SIDE / min(height, width))
    scale = min(scale, _MAX_SIDE / max(height, width))
    return max(round(height * scale), 1), max(round(width * scale), 1)
