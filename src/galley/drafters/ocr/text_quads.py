"""Rotated rectangles around the text of a probability map: the box formation of DB (Liao et al. 2020, 3.4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import ConvexHull, QhullError

Quad = NDArray[np.float32]
"""(4, 2) x, y of the corners: top left, top right, bottom right, bottom left of the text box."""


def text_quads(
    probability: NDArray[np.float32],
    *,
    threshold: float,
    box_threshold: float,
    unclip: float,
    min_side: float = 3.0,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Quads (n, 4, 2) in pixels of the map, and their scores (n,).

    probability: (height, width), how likely each pixel is inside the shrunk kernel of a text line.
    threshold: pixels above it belong to a kernel. box_threshold: least mean probability of a box.
    unclip: how far kernels grow back, as share of area / perimeter. min_side: shorter boxes are noise.
    """
    mask = ndimage.binary_dilation(probability > threshold, np.ones((2, 2), bool))
    labels, _ = ndimage.label(mask, np.ones((3, 3), int))
    quads, scores = [], []
    for number, window in enumerate(ndimage.find_objects(labels), start=1):
        inside = labels[window] == number
        rows, cols = _rim(inside)
        quad = min_area_rectangle(np.stack([cols, rows], axis=1).astype(np.float32))
        width, height = sides(quad)
        if min(width, height) < min_side:
            continue
        score = _mean_inside(probability[window], quad)
        if score < box_threshold:
            continue
        grown = grow(quad, width * height * unclip / (2 * (width + height)))
        origin = np.array([window[1].start, window[0].start], np.float32)
        quads.append(grown + origin)
        scores.append(score)
    if not quads:
        return np.zeros((0, 4, 2), np.float32), np.zeros(0, np.float32)
    return np.stack(quads), np.array(scores, np.float32)


def min_area_rectangle(points: NDArray[np.float32]) -> Quad:
    """The smallest rectangle around (n, 2) points, as an ordered quad; its long axis may have any angle.

    The rectangle has a side on an edge of the convex hull (Freeman and Shapira 1975).
    """
    hull = _hull(points)
    edges = np.diff(np.concatenate([hull, hull[:1]]), axis=0)
    edges = edges[np.abs(edges).sum(axis=1) > 0]
    if not len(edges):
        edges = np.array([[1.0, 0.0]], np.float32)
    angles = np.unique(np.append(np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2), 0.0))
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    u, v = hull @ along.T, hull @ across.T
    low = np.stack([u.min(axis=0), v.min(axis=0)], axis=1)
    high = np.stack([u.max(axis=0), v.max(axis=0)], axis=1)
    best = int(np.argmin((high - low).prod(axis=1)))
    (u0, v0), (u1, v1) = low[best], high[best]
    corners = np.array([[u0, v0], [u1, v0], [u1, v1], [u0, v1]])
    return ordered((corners @ np.stack([along[best], across[best]])).astype(np.float32))


def ordered(quad: Quad) -> Quad:
    """Corners from the top left one clockwise: left pair and right pair by x, each from top to bottom."""
    by_x = quad[np.argsort(quad[:, 0], kind="stable")]
    left = by_x[:2][np.argsort(by_x[:2, 1], kind="stable")]
    right = by_x[2:][np.argsort(by_x[2:, 1], kind="stable")]
    return np.stack([left[0], right[0], right[1], left[1]])


def sides(quad: Quad) -> tuple[float, float]:
    """Width and height of a rotated rectangle."""
    return float(np.hypot(*(quad[1] - quad[0]))), float(np.hypot(*(quad[3] - quad[0])))


def grow(quad: Quad, by: float) -> Quad:
    """The rectangle with every side moved out by ``by`` pixels."""
    x = _unit(quad[1] - quad[0]) * by
    y = _unit(quad[3] - quad[0]) * by
    return quad + np.stack([-x - y, x - y, x + y, y - x]).astype(np.float32)


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    return vector / max(float(np.hypot(*vector)), 1e-6)


def _rim(inside: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last pixel of every row: all the convex hull needs."""
    rows = np.flatnonzero(inside.any(axis=1))
    first = inside[rows].argmax(axis=1)
    last = inside.shape[1] - 1 - inside[rows, ::-1].argmax(axis=1)
    return np.concatenate([rows, rows]), np.concatenate([first, last])


def _hull(points: NDArray[np.float32]) -> NDArray[np.float32]:
    if len(points) < 3:
        return points
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:  # all on one line
        along = points - points[0]
        axis = along[np.abs(along).sum(axis=1).argmax()]
        order = along @ axis
        return points[[order.argmin(), order.argmax()]]


def _mean_inside(probability: NDArray[np.float32], quad: Quad) -> float:
    """Mean probability over the pixels inside the quad."""
    height, width = probability.shape
    y, x = np.mgrid[:height, :width]
    inside = np.ones((height, width), bool)
    for corner, towards in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        dx, dy = towards - corner
        inside &= dx * (y - corner[1]) - dy * (x - corner[0]) >= -0.5 * np.hypot(dx, dy)
    return float(probability[inside].mean()) if inside.any() else 0.0
