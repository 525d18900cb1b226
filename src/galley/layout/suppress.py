"""Suppression: which of the boxes that claim one place stays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


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
    """Greedy non-maximum suppression over *all* labels; indices of the kept boxes, best score first.

    boxes: (n, 4) ``x0, y0, x1, y1``. scores: (n,). A box whose IoU with a better one exceeds ``iou`` goes.
    """
    kept: list[int] = []
    order = np.argsort(-scores, kind="stable")
    while order.size:
        best, rest = int(order[0]), order[1:]
        kept.append(best)
        shared, _ = overlaps(boxes[best], boxes[rest])
        order = rest[shared <= iou]
    return kept
