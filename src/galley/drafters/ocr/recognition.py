"""Text recognition: crops of upright lines → characters, their frames, confidences, features (PP-OCRv6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.letter_ink import LetterInk, ink_mask, letter_ink
from galley.drafters.ocr.ctc import BLANK, collapse, log_likelihood
from galley.drafters.ocr.onnx_cut import cut
from galley.drafters.ocr.onnx_denormals import flush_denormals
from galley.drafters.ocr.spacing import missing_spaces
from galley.runtime import package_file, session, threads

HEIGHT = 48
STRIDE = 8
"""Pixels of a line's width, at height 48, that one frame covers."""

_FEATURES = "p2o.pd_op.transpose.8.0"
_LOGITS = "Add.209"
_MAX_WIDTH = 9600
_HEAD_FRAMES = 64
"""Frames classified at a time: 18,710 scores each, kept small enough for the processor's cache."""


class Reading(NamedTuple):
    """What the recogniser saw in one crop.

    features: (frames, 120) float16, a frame per 8 pixels of width at height 48; (0, 120) when not asked for.
    char_ids, char_frames: (len(text),) int64; the class of each character and the frame it was read at.
    confidence: mean probability of the characters, 0 to 1; 0 when the text is empty.
    ink: how much of the line's ink the characters explain.
    """

    features: NDArray[np.float16]
    char_ids: NDArray[np.int64]
    char_frames: NDArray[np.int64]
    text: str
    confidence: float
    ink: LetterInk = LetterInk()


class Recogniser:
    """PP-OCRv6 small, cut in two before its CTC head so that the frame features can be handed on.

    Every line is a run of its own, without padding: a line reads the same alone and on a page, nothing is computed
    for nothing, and the lines spread over the threads.
    """

    def __init__(self) -> None:
        path = package_file("rapidocr", "models/PP-OCRv6_rec_small.onnx")
        model = flush_denormals(path.read_bytes())
        self._encoder = session(cut(model, ["x"], [_FEATURES]), workers=1)
        self._head = session(cut(model, [_FEATURES], [_LOGITS]), workers=1)
        self._workers = threads()
        listed = self._encoder.get_modelmeta().custom_metadata_map["character"].splitlines()
        self.characters: list[str] = ["", *listed, " "]
        """The text of each class; class 0 is the CTC blank, the last one the space."""
        self._classes = {text: number for number, text in enumerate(self.characters) if text}

    def encode(self, crops: Sequence[NDArray[np.uint8]], *, features: bool = True) -> list[Reading]:
        """Read crops of single lines, (height, width, 3) uint8 RGB with the text running left to right."""
        if self._workers == 1 or len(crops) < 2:
            return [self._read(crop, features) for crop in crops]
        longest_first = sorted(range(len(crops)), key=lambda i: -_width(crops[i]))
        with ThreadPoolExecutor(self._workers) as pool:
            jobs = {i: pool.submit(self._read, crops[i], features) for i in longest_first}
        return [jobs[i].result() for i in range(len(crops))]

    def log_likelihoods(self, features: NDArray[np.float16], texts: Sequence[str]) -> list[float]:
        """How likely each text is, given a line's features (frames, 120).

        Natural logarithms; -inf for a text with a character that the recogniser does not know or that is longer than
        the line.
        """
        used = sorted({self._classes.get(character, BLANK) for text in texts for character in text} | {BLANK})
        scores = np.concatenate([np.zeros((0, len(used)), np.float32), *self._scores(features, used)])
        columns = {self.characters[number]: column for column, number in enumerate(used) if number != BLANK}
        return [
            log_likelihood(scores, np.array([columns[character] for character in text], np.int64))
            if all(character in columns for character in text)
            else -np.inf
            for text in texts
        ]

    def _scores(self, features: NDArray[np.float16], classes: Sequence[int]) -> Iterator[NDArray[np.float32]]:
        """Log-probabilities of some classes, a few frames at a time."""
        for logits in self._logits(features.astype(np.float32)):
            most = logits.max(axis=1, keepdims=True)
            whole = most + np.log(np.exp(logits - most).sum(axis=1, keepdims=True))
            yield logits[:, classes] - whole

    def _logits(self, frames: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        """Scores of all classes, ``_HEAD_FRAMES`` frames at a time."""
        for start in range(0, len(frames), _HEAD_FRAMES):
            yield self._head.run(None, {_FEATURES: frames[None, start : start + _HEAD_FRAMES]})[0][0]

    def _read(self, crop: NDArray[np.uint8], features: bool) -> Reading:
        pixels = _pixels(crop)
        frames = self._encoder.run(None, {"x": pixels})[0][0]
        classes, probability, space = self._classify(frames)
        spans = collapse(classes, probability)
        ink = ink_mask(pixels[0].mean(axis=0))
        ids, at = self._spaced(spans.ids, (spans.first + spans.last) // 2, space, np.any(ink, axis=0))
        text = self._text(ids)
        return Reading(
            features=frames[: len(frames) if features else 0].astype(np.float16),
            char_ids=ids,
            char_frames=at,
            text=text,
            confidence=float(spans.confidence.mean()) if len(spans.ids) else 0.0,
            ink=letter_ink(ink, text, at),
        )

    def _text(self, ids: NDArray[np.int64]) -> str:
        return "".join(self.characters[i] for i in ids)

    def _spaced(
        self,
        ids: NDArray[np.int64],
        frames: NDArray[np.int64],
        space: NDArray[np.float32],
        columns: NDArray[np.bool_],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Characters and their frames with the missing spaces put in, each half way between its neighbours."""
        missing = missing_spaces(self._text(ids), frames, space, columns)
        if not missing:
            return ids, frames
        places = np.array(missing)
        between = (frames[places - 1] + frames[places]) // 2
        return np.insert(ids, places, len(self.characters) - 1), np.insert(frames, places, between)

    def _classify(
        self, frames: NDArray[np.float32]
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
        """Best class of every frame, its probability where it is not the blank, and the odds of a space against it."""
        classes = np.zeros(len(frames), np.int64)
        probability, space = np.zeros((2, len(frames)), np.float32)
        for start, logits in zip(range(0, len(frames), _HEAD_FRAMES), self._logits(frames), strict=True):
            best = logits.argmax(axis=1)
            top = logits[np.arange(len(best)), best]
            shown = np.flatnonzero(best)
            scores = logits[shown] - top[shown, None]
            probability[start + shown] = 1 / np.exp(scores, out=scores).sum(axis=1)
            classes[start : start + len(best)] = best
            space[start : start + len(best)] = np.exp(logits[:, -1] - top)
        return classes, probability, space


def _width(crop: NDArray[np.uint8]) -> int:
    """Width of the line at height 48, from one frame up."""
    height, width = crop.shape[:2]
    return min(max(round(width * HEIGHT / max(height, 1)), STRIDE), _MAX_WIDTH)


def _pixels(crop: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The crop at height 48 as the network takes it, (1, 3, 48, width) from -1 to 1, filled up to a whole frame."""
    width = _width(crop)
    pixels = np.zeros((1, 3, HEIGHT, -(-width // STRIDE) * STRIDE), np.float32)
    if not crop.size:
        return pixels
    if crop.shape[:2] != (HEIGHT, width):
        crop = np.asarray(Image.fromarray(crop).resize((width, HEIGHT), Image.Resampling.BILINEAR))
    np.multiply(crop.transpose(2, 0, 1), np.float32(1 / 127.5), out=pixels[0, :, :, :width])
    pixels[0, :, :, :width] -= 1
    return pixels
