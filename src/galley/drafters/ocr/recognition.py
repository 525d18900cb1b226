"""Text recognition: crops of upright lines → characters, their frames, confidences, features (PP-OCRv6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.ocr.ctc import Spans, collapse
from galley.drafters.ocr.onnx_cut import cut
from galley.drafters.ocr.onnx_denormals import flush_denormals
from galley.runtime import package_file, session

HEIGHT = 48
STRIDE = 8
"""Pixels of a line's width, at height 48, that one frame covers."""

_FEATURES = "p2o.pd_op.transpose.8.0"
_LOGITS = "Add.209"
_WIDTH_STEP = 32
_BATCH_PIXELS = 4096
_MAX_WIDTH = 9600
_HEAD_FRAMES = 128


class Reading(NamedTuple):
    """What the recogniser saw in one crop.

    features: (frames, 120) float16, a frame per 8 pixels of width at height 48; (0, 120) when not asked for.
    char_ids, char_frames: (len(text),) int64; the class of each character and the frame it was read at.
    confidence: mean probability of the characters, 0 to 1; 0 when the text is empty.
    """

    features: NDArray[np.float16]
    char_ids: NDArray[np.int64]
    char_frames: NDArray[np.int64]
    text: str
    confidence: float


class Recogniser:
    """PP-OCRv6 small, cut in two before its CTC head: padding never reaches the 18,710 classes, and the frame
    features (120 channels) can be handed on."""

    def __init__(self) -> None:
        path = package_file("rapidocr", "models/PP-OCRv6_rec_small.onnx")
        model = flush_denormals(path.read_bytes())
        self._encoder = session(cut(model, ["x"], [_FEATURES]))
        self._head = session(cut(model, [_FEATURES], [_LOGITS]))
        listed = self._encoder.get_modelmeta().custom_metadata_map["character"].splitlines()
        self.characters: list[str] = ["", *listed, " "]
        """The text of each class; class 0 is the CTC blank, the last one the space."""

    def encode(self, crops: Sequence[NDArray[np.uint8]], *, features: bool = True) -> list[Reading]:
        """Read crops of single lines, (height, width, 3) uint8 RGB with the text running left to right."""
        lines = [_fit(crop) for crop in crops]
        frames = self._encode(lines)
        classes, probability = self._classify(frames)
        readings = []
        ends = np.cumsum([len(part) for part in frames])
        for part, end in zip(frames, ends, strict=True):
            chosen = slice(end - len(part), end)
            spans = collapse(classes[chosen], probability[chosen])
            readings.append(self._reading(spans, part if features else part[:0]))
        return readings

    def _reading(self, spans: Spans, features: NDArray[np.float32]) -> Reading:
        text = "".join(self.characters[i] for i in spans.ids)
        confidence = float(spans.confidence.mean()) if len(spans.ids) else 0.0
        return Reading(
            features.astype(np.float16), spans.ids, (spans.first + spans.last) // 2, text, confidence
        )

    def _encode(self, lines: list[NDArray[np.uint8]]) -> list[NDArray[np.float32]]:
        """Frame features of each line, (width / 8, 120), computed in batches of like width."""
        found: list[NDArray[np.float32]] = [np.zeros((0, 0), np.float32)] * len(lines)
        for batch in _batches([line.shape[1] for line in lines]):
            width = _ceil(max(lines[i].shape[1] for i in batch), _WIDTH_STEP)
            pixels = np.zeros((len(batch), 3, HEIGHT, width), np.float32)
            for row, i in enumerate(batch):
                line = lines[i]
                pixels[row, :, :, : line.shape[1]] = line.transpose(2, 0, 1) * np.float32(1 / 127.5) - 1
            output = self._encoder.run(None, {"x": pixels})[0]
            for row, i in enumerate(batch):
                found[i] = output[row, : _ceil(lines[i].shape[1], STRIDE) // STRIDE]
        return found

    def _classify(self, frames: list[NDArray[np.float32]]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Best class of every frame of all lines, and its probability where it is not the blank."""
        stacked = np.concatenate(frames) if frames else np.zeros((0, 120), np.float32)
        classes = np.zeros(len(stacked), np.int64)
        probability = np.zeros(len(stacked), np.float32)
        for start in range(0, len(stacked), _HEAD_FRAMES):
            part = slice(start, start + _HEAD_FRAMES)
            logits = self._head.run(None, {_FEATURES: stacked[None, part]})[0][0]
            best = logits.argmax(axis=1)
            shown = np.flatnonzero(best)
            top = logits[shown, best[shown]]
            probability[start + shown] = 1 / np.exp(logits[shown] - top[:, None]).sum(axis=1)
            classes[part] = best
        return classes, probability


def _fit(crop: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The crop at height 48, its width following its shape."""
    height, width = crop.shape[:2]
    target = min(max(round(width * HEIGHT / max(height, 1)), STRIDE), _MAX_WIDTH)
    if not height or not width:
        return np.zeros((HEIGHT, STRIDE, 3), np.uint8)
    if (height, width) == (HEIGHT, target):
        return crop
    return np.asarray(Image.fromarray(crop).resize((target, HEIGHT), Image.Resampling.BILINEAR))


def _batches(widths: list[int]) -> list[list[int]]:
    """Indices grouped by like width, so that little padding is computed."""
    batches: list[list[int]] = []
    for i in sorted(range(len(widths)), key=widths.__getitem__):
        width = _ceil(widths[i], _WIDTH_STEP)
        batch = batches[-1] if batches else []
        if (
            batch
            and _ceil(widths[batch[0]], _WIDTH_STEP) == width
            and (len(batch) + 1) * width <= _BATCH_PIXELS
        ):
            batch.append(i)
        else:
            batches.append([i])
    return batches


def _ceil(value: int, step: int) -> int:
    return -(-value // step) * step
