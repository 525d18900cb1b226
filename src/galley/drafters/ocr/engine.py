"""The OCR engine: page image → text lines with words, boxes and confidences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.ocr.boxes import Quad, sides
from galley.drafters.ocr.crops import crop_line
from galley.drafters.ocr.detection import LineDetector
from galley.drafters.ocr.recognition import HEIGHT, Reading, Recogniser

_MIN_CONFIDENCE = 0.5


class OcrEngine:
    """Detects and reads the text of a page image. Models are loaded at first use."""

    @cached_property
    def detector(self) -> LineDetector:
        return LineDetector()

    @cached_property
    def recogniser(self) -> Recogniser:
        return Recogniser()

    def read(self, image: NDArray[np.uint8], *, features: bool = False) -> list[TextLine]:
        """Text lines of an upright (height, width, 3) uint8 RGB page, in page pixels, from top to bottom.

        With ``features`` each line carries the recogniser's frame features.
        """
        quads, _ = self.detector.detect(image)
        lines = self.read_quads(image, quads, features=features)
        return [line for line in lines if line.text.strip() and (line.confidence or 0) >= _MIN_CONFIDENCE]

    def read_lines(
        self, image: NDArray[np.uint8], boxes: Sequence[BBox], *, features: bool = False
    ) -> list[TextLine]:
        """Read the given boxes of single lines, in their order; ``text`` is empty where nothing is legible."""
        quads = [[[b.x0, b.y0], [b.x1, b.y0], [b.x1, b.y1], [b.x0, b.y1]] for b in boxes]
        return self.read_quads(image, np.array(quads, np.float32).reshape(-1, 4, 2), features=features)

    def read_quads(
        self, image: NDArray[np.uint8], quads: NDArray[np.float32], *, features: bool = False
    ) -> list[TextLine]:
        """Read rotated boxes (n, 4, 2) of single lines, in their order."""
        page = Image.fromarray(image)
        crops = [crop_line(page, quad, HEIGHT) for quad in quads]
        readings = self.recognise(crops, features=features)
        return [_line(quad, reading, features) for quad, reading in zip(quads, readings, strict=True)]

    def recognise(self, crops: Sequence[NDArray[np.uint8]], *, features: bool = False) -> list[Reading]:
        """Read crops of upright single lines."""
        return self.recogniser.encode(crops, features=features)


def _line(quad: Quad, reading: Reading, features: bool) -> TextLine:
    (x0, y0), (x1, y1) = quad.min(axis=0), quad.max(axis=0)
    return TextLine(
        text=reading.text,
        bbox=BBox(x0=float(x0), y0=float(y0), x1=float(x1), y1=float(y1)),
        confidence=reading.confidence,
        size=min(sides(quad)),
        char_frames=reading.char_frames if features else None,
        features=reading.features if features else None,
    )
