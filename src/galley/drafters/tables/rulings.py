"""Ruling lines and shaded bands of a table image: solid, dashed, dotted, double, coloured, or light on dark."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Gray = NDArray[np.int16]
Mask = NDArray[np.bool_]

CONTRAST = 18
"""Levels of 255 by which a ruling must differ from both its sides; above JPEG noise, below a pale grey
rule."""
SOLID = 0.9
"""Share of its length that a solid rule inks at least."""
SAMPLES = 256
"""Columns looked at for bands."""
_STEMS = 0.08
"""Share of a text's width that strokes ink in each row just above its feet."""
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
        """In pixels."""
        return self.end - self.start


@dataclass
class Rulings:
    """All rules of a table; ``bands`` are the heights (y) at which the background's shade changes."""

    horizontal: list[Ruling] = field(default_factory=list)
    vertical: list[Ruling] = field(default_factory=list)
    bands: list[float] = field(default_factory=list)


def darkest_channel(image: NDArray[np.uint8]) -> Gray:
    """(H, W) darkest channel of an H×W×3 image: a rule of any colour stands out on white."""
    red, green, blue = image[..., 0], image[..., 1], image[..., 2]
    return np.minimum(np.minimum(red, green), blue).astype(np.int16)


def find_rulings(
    gray: Gray, text: Mask, em: float, origin: tuple[float, float], least_vertical: int = 0
) -> Rulings:
    """Rules and bands of a crop.

    gray: ``darkest_channel`` of the crop. text: True inside word boxes; strokes of letters are no rules.
    em: height of the text in pixels. origin: page place of the crop's corner. least_vertical: with fewer
    vertical rules nothing else is looked for and the answer is empty.
    """
    x0, y0 = origin
    if min(gray.shape) < 3:
        return Rulings()
    vertical = _runs(gray.T, text.T, em, shortest=1.2 * em)
    if len(vertical) < least_vertical:
        return Rulings()
    horizontal = _without_leaders(_runs(gray, text, em, shortest=2.0 * em), gray, text, em)
    return Rulings(
        [Ruling(r.position + y0, r.start + x0, r.end + x0) for r in horizontal],
        [Ruling(r.position + x0, r.start + y0, r.end + y0) for r in vertical],
        [y + y0 for y in _band_edges(gray, text, em)],
    )


def _without_leaders(rules: list[Ruling], gray: Gray, text: Mask, em: float) -> list[Ruling]:
    """The horizontal rules but the dots that lead the eye from a text to what stands right of it."""
    return [rule for rule in rules if not _is_leader(rule, gray, text, em)]


def _is_leader(rule: Ruling, gray: Gray, text: Mask, em: float) -> bool:
    """Whether letters stand on the run, and what of it is outside the text is dotted.

    A rule under a text, dotted or not, keeps white between itself and the letters.
    """
    y, reach, rise = int(rule.position), max(2, round(0.3 * em)), max(2, round(0.15 * em))
    first, last = max(0, round(rule.start - 2 * em)), round(rule.end)
    if y < reach + rise or y >= len(gray):
        return False
    among = text[y, first:last]
    letters, dots = gray[:, first:last][:, among], gray[:, first:last][:, ~among]
    if letters.shape[1] < em or dots.shape[1] < em or not _comes_first(among, em):
        return False
    # What the text's feet weigh in the run's height is left out.
    y += int(dots[y - reach : y + reach + 1].mean(axis=1).argmin()) - reach
    row, feet = dots[y], letters[y - rise : y]
    dotted = float(np.ptp(np.percentile(row, [10, 95]))) > CONTRAST and float(_inked(row).mean()) < SOLID
    return dotted and float(_inked(feet).mean(axis=1).min()) > _STEMS


def _comes_first(among: NDArray[np.bool_], em: float) -> bool:
    """Whether what lies within text comes before what does not, but for the spaces between words."""
    last = int(np.flatnonzero(among)[-1])
    return int((~among[:last]).sum()) < 3 * em


def _inked(gray: Gray) -> Mask:
    """What is darker than half way between ink and paper there; single pixels of another tint do not count."""
    return gray < np.percentile(gray, [10, 95]).mean()


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
    """Running extreme down the columns over ``size`` rows, in log₂(size) passes; ``size`` − 1 rows shorter."""
    reach = 1
    while 2 * reach <= size:
        values = extreme(values[:-reach], values[reach:])
        reach *= 2
    rest = size - reach
    return extreme(values[:-rest], values[rest:]) if rest else values


def _long_runs(mask: Mask, text: Mask, em: float, shortest: float) -> list[tuple[Ruling, int]]:
    """Runs at least ``shortest`` long, not just within text, with their thickness; dots and dashes are joined."""
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
        clear = 0.25 if width > 3 * em else 0.6
        if width < length or free < clear * ink or ink < 0.3 * width:
            continue
        if ink < SOLID * width and _beside(mask, ys, xs, round(0.3 * em)) > 0.25 * ink / width:
            continue
        rows = np.nonzero(inked.any(axis=1))[0]
        weight = inked.sum(axis=1)[rows]
        position = float(np.average(rows, weights=weight)) + ys.start + 0.5
        thickness = int(np.median(inked.sum(axis=0)[inked.any(axis=0)]))
        found.append((Ruling(position, float(xs.start), float(xs.stop)), thickness))
    return found


def _beside(mask: Mask, ys: slice, xs: slice, reach: int) -> float:
    """How densely inked the rows next to a run are, on its busier side.

    Dots and dashes stand alone, the tops and feet of letters do not.
    """
    above, below = mask[max(0, ys.start - reach) : ys.start, xs], mask[ys.stop : ys.stop + reach, xs]
    return max((float(side.mean()) for side in (above, below) if side.size), default=0.0)


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


def _band_edges(gray: Gray, text: Mask, em: float) -> list[float]:
    """Heights where the shade behind the text steps to another across most of the width, and stays there."""
    reach = max(2, round(0.5 * em))
    if gray.shape[0] <= 2 * reach:
        return []
    columns = np.unique(np.linspace(0, gray.shape[1] - 1, SAMPLES).astype(int))
    shade = np.where(text[:, columns], np.nan, gray[:, columns])
    usual = _row_medians(shade)
    labels, _ = ndimage.label(np.abs(usual[reach:] - usual[:-reach]) >= BAND_STEP)
    edges = []
    for (run,) in ndimage.find_objects(labels):
        y = (run.start + run.stop + reach) / 2
        before, after = (
            shade[max(0, run.start - reach) : run.start + 1],
            shade[run.stop + reach - 1 :][:reach],
        )
        if before.size and after.size and _steps(before, after):
            edges.append(y)
    return edges


def _row_medians(shade: NDArray[np.float64]) -> NDArray[np.float64]:
    """Median of each row's known values, smoothed; rows without any take the row above's."""
    known = ~np.isnan(shade)
    order = np.sort(shade, axis=1)
    count = known.sum(axis=1)
    medians = order[np.arange(len(shade)), np.maximum(0, (count - 1) // 2)]
    last = np.maximum.accumulate(np.where(count > 0, np.arange(len(shade)), 0))
    return np.nan_to_num(ndimage.median_filter(np.nan_to_num(medians[last], nan=255.0), size=3), nan=255.0)


def _steps(before: NDArray[np.float64], after: NDArray[np.float64]) -> bool:
    """True when most columns change shade from one block of rows to another."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        change = np.abs(np.nanmedian(before, axis=0) - np.nanmedian(after, axis=0))
    change = change[~np.isnan(change)]
    return change.size > 0 and float(np.mean(change >= BAND_STEP)) >= 0.6
