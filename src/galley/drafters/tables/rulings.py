"""Ruling lines and shaded bands of a table image: solid, dashed, dotted, double, coloured, or light on
dark."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Gray = NDArray[np.int16]
Mask = NDArray[np.bool_]

CONTRAST = 18
"""Levels of 255 by which a ruling must differ from both its sides; above JPEG noise, below a pale grey
rule."""
BAND_STEP = 5
"""Levels by which the shade of a band of rows must differ from the next one's."""


@dataclass(frozen=True)
class Ruling:
    """A straight rule: ``position`` across its direction, ``start`` to ``end`` along it, in page pixels."""

    position: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass
class Rulings:
    """All rules of a table; ``bands`` are the heights (y) at which the background's shade changes."""

    horizontal: list[Ruling] = field(default_factory=list)
    vertical: list[Ruling] = field(default_factory=list)
    bands: list[float] = field(default_factory=list)


def darkest_channel(image: NDArray[np.uint8]) -> Gray:
    """(H, W) darkest channel of an H×W×3 image: a rule of any colour stands out on white."""
    return image.min(axis=2).astype(np.int16)


def find_rulings(gray: Gray, text: Mask, em: float, origin: tuple[float, float]) -> Rulings:
    """Rules and bands of a crop.

    gray: ``darkest_channel`` of the crop. text: True inside word boxes; strokes of letters are no rules.
    em: height of the text in pixels. origin: page place of the crop's corner.
    """
    x0, y0 = origin
    if min(gray.shape) < 3:
        return Rulings()
    horizontal = _runs(gray, text, em, shortest=2.0 * em)
    vertical = _runs(gray.T, text.T, em, shortest=1.2 * em)
    return Rulings(
        [Ruling(r.position + y0, r.start + x0, r.end + x0) for r in horizontal],
        [Ruling(r.position + x0, r.start + y0, r.end + y0) for r in vertical],
        [y + y0 for y in _band_edges(gray, em)],
    )


def _runs(gray: Gray, text: Mask, em: float, shortest: float) -> list[Ruling]:
    """Horizontal rules: pixels unlike those above and below them, in long thin runs."""
    thickest = max(3, round(0.35 * em))
    dark = _closing(gray, 2 * thickest + 1) - gray > CONTRAST
    light = _closing(255 - gray, 2 * thickest + 1) - (255 - gray) > CONTRAST
    found = _long_runs(dark, text, em, shortest)
    # White between a dark rule and the text beside it is no light rule.
    found += [
        (ruling, thickness)
        for ruling, thickness in _long_runs(light, text, em, shortest)
        if not any(abs(ruling.position - dark_rule.position) < em for dark_rule, _ in found)
    ]
    return [ruling for ruling, thickness in found if thickness <= thickest + 2]


def _closing(gray: Gray, size: int) -> Gray:
    """Grey closing down the columns by an odd ``size``: dark rules thinner than that vanish."""
    half = size // 2
    padded = np.pad(gray, ((2 * half, 2 * half), (0, 0)), mode="edge")
    return _slide(np.minimum, _slide(np.maximum, padded, size), size)


def _slide(extreme: np.ufunc, values: Gray, size: int) -> Gray:
    """Running extreme down the columns over ``size`` rows, in log₂(size) passes; ``size`` − 1 rows
    shorter."""
    reach = 1
    while 2 * reach <= size:
        values = extreme(values[:-reach], values[reach:])
        reach *= 2
    rest = size - reach
    return extreme(values[:-rest], values[rest:]) if rest else values


def _long_runs(mask: Mask, text: Mask, em: float, shortest: float) -> list[tuple[Ruling, int]]:
    """Runs at least ``shortest`` long, not just within text, with their thickness; dots and dashes are
    joined."""
    length = max(5, round(shortest))
    gap = max(3, round(0.3 * em))
    # A rule that leans by a pixel here and there is still one run.
    steady = mask.copy()
    steady[1:] |= mask[:-1]
    steady[:-1] |= mask[1:]
    runs = _keep_runs(_fill_gaps(steady, gap), length)
    labels, _ = ndimage.label(runs, np.ones((3, 3)))
    found = []
    for i, (ys, xs) in enumerate(ndimage.find_objects(labels), start=1):
        part = labels[ys, xs] == i
        inked = part & mask[ys, xs]
        free = (inked & ~text[ys, xs]).any(axis=0).sum()
        width = xs.stop - xs.start
        ink = inked.any(axis=0).sum()
        if width < length or free < 0.25 * ink or ink < 0.3 * width:
            continue
        rows = np.nonzero(inked.any(axis=1))[0]
        weight = inked.sum(axis=1)[rows]
        position = float(np.average(rows, weights=weight)) + ys.start + 0.5
        thickness = int(np.median(inked.sum(axis=0)[inked.any(axis=0)]))
        found.append((Ruling(position, float(xs.start), float(xs.stop)), thickness))
    return found


def _keep_runs(mask: Mask, shortest: int) -> Mask:
    """The mask's horizontal runs of at least ``shortest`` pixels."""
    height, width = mask.shape
    change = np.diff(mask, axis=1, prepend=False, append=False)
    rows, edges = np.nonzero(change)
    # Edges come in pairs, row by row: where a run starts and where it has ended.
    rows, starts, ends = rows[::2], edges[::2], edges[1::2]
    long = ends - starts >= shortest
    delta = np.zeros((height, width + 1), dtype=np.int8)
    delta[rows[long], starts[long]] = 1
    delta[rows[long], ends[long]] = -1
    return np.cumsum(delta[:, :-1], axis=1, dtype=np.int8).astype(bool)


def _fill_gaps(mask: Mask, longest: int) -> Mask:
    """The mask with its horizontal gaps of up to ``longest`` pixels closed."""
    return ~_keep_runs(~mask, longest + 1) | mask


def _band_edges(gray: Gray, em: float) -> list[float]:
    """Heights where the commonest shade of whole rows steps to another and stays there for a text height."""
    shade = ndimage.median_filter(np.median(gray, axis=1), size=max(3, round(0.3 * em)), mode="nearest")
    reach = max(2, round(0.5 * em))
    if len(shade) <= 2 * reach:
        return []
    step = np.abs(shade[reach:] - shade[:-reach])
    labels, _ = ndimage.label(step >= BAND_STEP)
    edges = []
    for (run,) in ndimage.find_objects(labels):
        before, after = max(0, run.start - 1), min(len(shade) - 1, run.stop + reach)
        if abs(shade[before] - shade[after]) >= BAND_STEP:
            edges.append((run.start + run.stop + reach) / 2)
    return edges
