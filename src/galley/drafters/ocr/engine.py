"""The OCR engine: page image → text lines with words, boxes and confidences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.ocr.crops import crop_line
from galley.drafters.ocr.detection import LineDetector
from galley.drafters.ocr.recognition import HEIGHT, STRIDE, Reading, Recogniser
from galley.drafters.ocr.text_quads import Quad, sides
from galley.drafters.ocr.word_boxes import split_words

_MIN_CONFIDENCE = 0.5
_TALL = 1.5
"""A box this much taller than wide may hold a line that runs up or down the page."""
_STANDING = 4.0
"""A box this much taller than wide holds no upright text."""
_DOUBTFUL = 0.6
_CLEAR = 0.8


class OcrEngine:
    """Detects and reads the text of page images (PP-OCRv6 small). Models are loaded at first use."""

    @cached_property
    def detector(self) -> LineDetector:
        """Finds lines of text."""
        return LineDetector()

    @cached_property
    def recogniser(self) -> Recogniser:
        """Reads lines of text."""
        return Recogniser()

    def detect(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Text boxes of an (height, width, 3) uint8 RGB image.

        Quads (n, 4, 2) in its pixels, corners x, y from the top left clockwise, in the order of rows.
        """
        quads, _ = self.detector.detect(image)
        return quads[np.lexsort((quads[:, 0, 0], quads[:, :, 1].mean(axis=1)))]

    def read(
        self, image: NDArray[np.uint8], *, quads: NDArray[np.float32] | None = None, features: bool = False
    ) -> list[TextLine]:
        """Text lines of an (height, width, 3) uint8 RGB page, in page pixels, from top to bottom.

        quads: what ``detect`` found on this image, if it is known. With ``features`` each line carries the
        recogniser's frame features. What is illegible (confidence below 0.5) is left out.
        """
        found = self.detect(image) if quads is None else quads
        return [line for line in self.read_quads(image, found, features=features) if is_legible(line)]

    def read_lines(
        self, image: NDArray[np.uint8], boxes: Sequence[BBox], *, features: bool = False
    ) -> list[TextLine]:
        """Read the given boxes of single lines, in their order; ``text`` is empty where nothing is seen."""
        quads = [[[b.x0, b.y0], [b.x1, b.y0], [b.x1, b.y1], [b.x0, b.y1]] for b in boxes]
        return self.read_quads(image, np.array(quads, np.float32).reshape(-1, 4, 2), features=features)

    def read_quads(
        self,
        image: NDArray[np.uint8],
        quads: NDArray[np.float32],
        *,
        features: bool = False,
        as_given: bool = False,
    ) -> list[TextLine]:
        """Read rotated boxes (n, 4, 2) of single lines, in their order.

        Boxes that stand on end are read in every direction the text may run, doubtful lines upside down as well;
        the most confident reading wins. ``as_given``: only along each quad's first side.
        """
        page = Image.fromarray(image)
        choices = [[quad] if as_given else _directions(quad) for quad in quads]
        best = self._read_turned(page, choices, features)
        if not as_given:
            self._try_upside_down(page, best, features)
        return [_line(quad, reading, features) for quad, reading in best]

    def _try_upside_down(self, page: Image.Image, best: list[tuple[Quad, Reading]], features: bool) -> None:
        """Replace doubtful readings in ``best`` by clear ones of the line turned around."""
        doubtful = [i for i, (_, reading) in enumerate(best) if 0 < reading.confidence < _DOUBTFUL]
        again = self._read_turned(page, [[np.roll(best[i][0], 2, axis=0)] for i in doubtful], features)
        for i, (quad, reading) in zip(doubtful, again, strict=True):
            if reading.confidence >= _CLEAR:
                best[i] = quad, reading

    def recognise(self, crops: Sequence[NDArray[np.uint8]], *, features: bool = False) -> list[Reading]:
        """Read crops of upright single lines."""
        return self.recogniser.encode(crops, features=features)

    def _read_turned(
        self, page: Image.Image, choices: Sequence[Sequence[Quad]], features: bool
    ) -> list[tuple[Quad, Reading]]:
        """The best of each line's possible quads with its reading; the first wins if it is clear."""
        crops = [crop_line(page, quad, HEIGHT) for quads in choices for quad in quads]
        readings = iter(self.recognise(crops, features=features))
        best = []
        for quads in choices:
            read = [(quad, next(readings)) for quad in quads]
            clear = read[0][1].confidence >= _CLEAR
            best.append(read[0] if clear else max(read, key=lambda pair: pair[1].confidence))
        return best


def is_legible(line: TextLine) -> bool:
    """Whether a recognised line is more than a guess."""
    return bool(line.text.strip()) and (line.confidence or 0) >= _MIN_CONFIDENCE


def _directions(quad: Quad) -> list[Quad]:
    """The quad with its first side along the text, for every direction the text may run."""
    across, down = sides(quad)
    if down < _TALL * across:
        return [quad]
    standing = [np.roll(quad, 1, axis=0), np.roll(quad, -1, axis=0)]
    return standing if down >= _STANDING * across else [quad, *standing]


def _line(quad: Quad, reading: Reading, features: bool) -> TextLine:
    (x0, y0), (x1, y1) = quad.min(axis=0), quad.max(axis=0)
    across, down = sides(quad)
    frames = max(across * HEIGHT / max(down, 1.0), STRIDE) / STRIDE
    centers = np.minimum((reading.char_frames + 0.5) / frames, 1.0)
    return TextLine(
        text=reading.text,
        bbox=BBox(x0=float(x0), y0=float(y0), x1=float(x1), y1=float(y1)),
        confidence=reading.confidence,
        words=split_words(reading.text, centers, quad),
        size=down,
        char_frames=reading.char_frames if features else None,
        features=reading.features if features else None,
        ink=reading.ink,
    )
