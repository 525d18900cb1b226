"""Ruling lines and filled rectangles among the paths of a PDF page."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from galley.ingest.join_rules import joined_rules
from galley.ingest.page_vectors import PageVectors
from galley.ingest.pdf_glyphs import PageMap
from galley.ingest.pdf_paths import PathTable
from galley.ingest.pdf_scene import Scene

_THICKEST = 3.0
"""Points; a filled rectangle that is thicker is an area."""
_LEAN = 0.5
"""Pixels by which the ends of a level line may differ ..."""
_SLOPE = 0.005
"""... or this part of its length."""
_RECTANGLE = 0.98
"""Share of its box that a filled shape covers to be a rectangle ..."""
_ROUNDED = 0.92
"""... or one with round corners, as its control points say; a circle's cover 0.9."""
_ROUND_POINTS = 20
"""Points of a rectangle with round corners, at most."""
_SEEN = 4
"""Grey levels, in any channel, by which a thing differs from what lies beneath it to be seen."""
_MOST_PAIRS = 20_000_000
"""Things times fills that are compared for what covers what; more are all taken to be seen."""


@dataclass
class Shapes:
    """Boxes in pixels with colour (red, green, blue on white), opacity (0 to 255) and drawing order."""

    boxes: NDArray[np.float64]
    colours: NDArray[np.float64]
    opaque: NDArray[np.bool_]
    orders: NDArray[np.int64]

    def taken(self, mask: NDArray[np.bool_]) -> Shapes:
        """Those of the ``mask``."""
        return Shapes(self.boxes[mask], self.colours[mask], self.opaque[mask], self.orders[mask])


def thin_boxes(shapes: Shapes, space: PageMap) -> NDArray[np.float64]:
    """(m, 4) boxes of the page's horizontal and vertical lines as they are drawn, one by one, in drawing order."""
    return shapes.boxes[_is_thin(shapes.boxes, space)]


def read_vectors(shapes: Shapes, scene: Scene, space: PageMap, width: int, height: int) -> PageVectors:
    """The rules and fills among the ``shapes`` of a page of ``width`` × ``height`` pixels that can be seen."""
    shapes = replace(shapes, boxes=shapes.boxes.clip(0, [width, height, width, height]))
    # A line beyond the page's edge has become a line on it.
    sides = shapes.boxes[:, 2:] - shapes.boxes[:, :2]
    shapes = shapes.taken(sides.max(axis=1) > 0)
    thin = _is_thin(shapes.boxes, space)
    shapes, thin = _seen(shapes, thin, scene)
    rules, colours = joined_rules(shapes.boxes[thin], shapes.colours[thin], space.scale)
    return PageVectors(
        rules,
        colours.astype(np.uint8),
        shapes.boxes[~thin],
        shapes.colours[~thin].astype(np.uint8),
        scene.paths.complete,
    )


def _is_thin(boxes: NDArray[np.float64], space: PageMap) -> NDArray[np.bool_]:
    return (boxes[:, 2:] - boxes[:, :2]).min(axis=1) <= _THICKEST * space.scale


def read_shapes(paths: PathTable, space: PageMap) -> Shapes:
    """Every straight stroke and filled rectangle in drawing order, clipped."""
    if not paths.points:
        empty = np.zeros(0, np.int64)
        return Shapes(np.zeros((0, 4)), np.zeros((0, 3)), empty.astype(bool), empty)
    points = space.points(paths.placed())
    owners, kinds = np.array(paths.owners), np.array(paths.kinds)
    begins = (kinds == pdfium_c.FPDF_SEGMENT_MOVETO) | (np.diff(owners, prepend=-1) != 0)
    starts = np.flatnonzero(begins)
    areas, area_owners = _filled(points, kinds, owners, starts, paths, space)
    lines, line_owners = _stroked(points, kinds, owners, starts, paths, space)
    boxes, by = np.concatenate([areas, lines]), np.concatenate([area_owners, line_owners])
    paint = np.concatenate(
        [
            np.array(paths.fills, float).reshape(-1, 4)[area_owners],
            np.array(paths.strokes, float).reshape(-1, 4)[line_owners],
        ]
    )
    # A path's fill lies beneath its stroke.
    order = np.argsort(2 * by + (np.arange(len(by)) >= len(areas)), kind="stable")
    boxes, by, paint = boxes[order], by[order], paint[order]
    boxes, shown = _clipped(boxes, space.boxes(_clips(paths))[by].astype(np.float64))
    share = paint[:, 3:] / 255
    colours = np.rint(paint[:, :3] * share + 255 * (1 - share))
    shapes = Shapes(boxes, colours, paint[:, 3] == 255, np.array(paths.orders, np.int64)[by])
    return shapes.taken(shown & (paint[:, 3] > 0))


def _clips(paths: PathTable) -> NDArray[np.float64]:
    """(p, 4) clipping rectangles in user space, without infinities."""
    return np.array(paths.clips, float).reshape(-1, 4).clip(-1e6, 1e6)


def _clipped(
    boxes: NDArray[np.float64], clips: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    low = np.maximum(boxes[:, :2], clips[:, :2])
    high = np.minimum(boxes[:, 2:], clips[:, 2:])
    shown = np.asarray((low <= high).all(axis=1), np.bool_)
    return np.concatenate([low, np.maximum(low, high)], axis=1), shown


def _filled(
    points: NDArray[np.float64],
    kinds: NDArray[np.int64],
    owners: NDArray[np.int64],
    starts: NDArray[np.int64],
    paths: PathTable,
    space: PageMap,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Boxes of the rectangles among filled subpaths, and the paths they belong to. starts: of the subpaths."""
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    after = np.roll(points, -1, axis=0)
    ends = np.append(starts[1:], len(points)) - 1
    after[ends] = points[starts]
    turns = points[:, 0] * after[:, 1] - after[:, 0] * points[:, 1]
    area = np.abs(np.add.reduceat(turns, starts)) / 2
    sides = high - low
    share = area / np.maximum(sides.prod(axis=1), 1e-9)
    curved = np.maximum.reduceat(kinds == pdfium_c.FPDF_SEGMENT_BEZIERTO, starts)
    count = ends - starts + 1
    thin = sides.min(axis=1) <= 0.02 * space.scale
    straight = ~curved & (count >= 2) & ((share >= _RECTANGLE) | thin)
    rounded = curved & (count <= _ROUND_POINTS) & (share >= _ROUNDED)
    rounded &= sides.min(axis=1) > 2 * _THICKEST * space.scale
    by = owners[starts]
    kept = (straight | rounded) & np.array(paths.filled)[by] & (sides.max(axis=1) > 0)
    boxes = np.concatenate([low, high], axis=1)[kept]
    return _without_frames(boxes, by[kept], space)


def _without_frames(
    boxes: NDArray[np.float64], by: NDArray[np.int64], space: PageMap
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The boxes, those of two rectangles of one path with a line's thickness between them as four lines."""
    if len(boxes) < 2:
        return boxes, by
    outer, inner = boxes[:-1], boxes[1:]
    margins = np.concatenate([inner[:, :2] - outer[:, :2], outer[:, 2:] - inner[:, 2:]], axis=1)
    nested = (by[:-1] == by[1:]) & (margins > 0).all(axis=1)
    nested &= (margins <= _THICKEST * space.scale).all(axis=1)
    frames = np.flatnonzero(nested)
    kept = np.ones(len(boxes), bool)
    kept[frames] = kept[frames + 1] = False
    (x0, y0, x1, y1), (a0, b0, a1, b1) = outer[frames].T, inner[frames].T
    sides = [(x0, y0, x1, b0), (x0, b1, x1, y1), (x0, y0, a0, y1), (a1, y0, x1, y1)]
    lines = [np.stack(side, axis=1) for side in sides]
    owners = np.concatenate([by[kept], *[by[frames]] * 4])
    order = np.argsort(owners, kind="stable")
    return np.concatenate([boxes[kept], *lines])[order], owners[order]


def _stroked(
    points: NDArray[np.float64],
    kinds: NDArray[np.int64],
    owners: NDArray[np.int64],
    starts: NDArray[np.int64],
    paths: PathTable,
    space: PageMap,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Boxes of the level and upright strokes, and the paths they belong to. starts: of the subpaths."""
    stroked = np.array(paths.stroked)[owners]
    ends = np.flatnonzero((kinds == pdfium_c.FPDF_SEGMENT_LINETO) & stroked)
    closing = np.flatnonzero(np.array(paths.closes, bool) & stroked)
    firsts = starts[np.searchsorted(starts, closing, side="right") - 1]
    a = np.concatenate([points[np.maximum(ends - 1, 0)], points[closing]])
    b = np.concatenate([points[ends], points[firsts]])
    by = np.concatenate([owners[ends], owners[closing]])
    span = np.abs(b - a)
    level = (span.min(axis=1) <= np.maximum(_LEAN, _SLOPE * span.max(axis=1))) & (span.max(axis=1) > 0)
    a, b, by, span = a[level], b[level], by[level], span[level]
    shapes = np.array(paths.matrices).reshape(-1, 3, 3)[by, :2, :2]
    stretch = np.sqrt(np.abs(np.linalg.det(shapes)))
    half = np.array(paths.widths)[by] * stretch * space.scale / 2
    reach = np.where(span[:, :1] >= span[:, 1:], [0.0, 1.0], [1.0, 0.0]) * half[:, None]
    return np.concatenate([np.minimum(a, b) - reach, np.maximum(a, b) + reach], axis=1), by


def _seen(shapes: Shapes, thin: NDArray[np.bool_], scene: Scene) -> tuple[Shapes, NDArray[np.bool_]]:
    """The shapes that differ from what lies beneath them and that nothing hides; ``thin`` of these."""
    areas = np.flatnonzero(~thin)
    if len(shapes.boxes) * max(1, len(areas)) > _MOST_PAIRS:
        return shapes, thin
    boxes, colours = shapes.boxes, shapes.colours
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    fills = boxes[areas]
    holds = (
        (fills[None, :, 0] <= centres[:, None, 0])
        & (fills[None, :, 2] >= centres[:, None, 0])
        & (fills[None, :, 1] <= centres[:, None, 1])
        & (fills[None, :, 3] >= centres[:, None, 1])
    )
    before = areas[None, :] < np.arange(len(boxes))[:, None]
    # The last fill beneath the centre, -1 for the paper.
    beneath = np.where(holds & before, areas[None, :], -1).max(axis=1, initial=-1)
    ground = np.where(beneath[:, None] >= 0, colours[beneath], 255.0)
    shown = np.abs(colours - ground).max(axis=1) >= _SEEN
    covers = (fills[None, :, :2] <= boxes[:, None, :2]).all(axis=2)
    covers &= (fills[None, :, 2:] >= boxes[:, None, 2:]).all(axis=2)
    hidden = (covers & shapes.opaque[areas] & (areas[None, :] > np.arange(len(boxes))[:, None])).any(axis=1)
    for picture in scene.pictures:
        over = (picture.box[:2] <= boxes[:, :2]).all(axis=1) & (picture.box[2:] >= boxes[:, 2:]).all(axis=1)
        shown |= over & (shapes.orders > picture.order)
        hidden |= over & (shapes.orders < picture.order) & picture.opaque
    kept = shown & ~hidden
    return shapes.taken(kept), thin[kept]
