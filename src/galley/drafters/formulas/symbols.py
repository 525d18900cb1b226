"""Symbols of a formula's picture: its connected pieces of ink, joined where several make one sign, and classified."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from galley.drafters.formulas.normal import normal
from galley.drafters.formulas.touching import box, halves
from galley.runtime import session

WEIGHTS = Path(__file__).parent / "weights"
_INK = 48
_FRINGE = 25
_SMALL = 22
"""usual height of a piece, in pixels, below which the picture is enlarged"""
_DOUBTED = math.log(0.6)
_KEPT = 6
"""candidates kept of each symbol"""
_JOINED = 0.5
"""probability from which pieces are one sign"""
_FREQUENCY = 0.8
"""weight of how often a symbol occurs, which the classifier has not seen"""
_BATCH = 512

Gray = NDArray[np.uint8]


@dataclass(frozen=True)
class Kind:
    """A class. name: its LaTeX. top, bottom, width: of its ink in ems, up from the baseline, None for what has no
    usual size. pieces: how many pieces of ink it is printed with. share: of the symbols of formulas."""

    name: str
    top: float | None
    bottom: float | None
    width: float | None
    pieces: int
    share: float

    @property
    def height(self) -> float | None:
        return None if self.top is None or self.bottom is None else self.top - self.bottom


@dataclass(frozen=True)
class Box:
    """x0, y0, x1, y1 in pixels, y down."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def x(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def y(self) -> float:
        return (self.y0 + self.y1) / 2

    @property
    def is_flat(self) -> bool:
        return self.width > 3 * self.height

    def union(self, other: Box) -> Box:
        return Box(
            min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1)
        )

    def overlap_x(self, other: Box) -> float:
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def holds(self, other: Box) -> bool:
        return self.x0 <= other.x and other.x <= self.x1 and self.y0 <= other.y and other.y <= self.y1


@dataclass(frozen=True)
class Symbol:
    """candidates: (class, log-probability), the likeliest first."""

    box: Box
    candidates: tuple[tuple[Kind, float], ...]

    @property
    def kind(self) -> Kind:
        return self.candidates[0][0]

    @property
    def name(self) -> str:
        return self.kind.name

    def only(self, *names: str) -> Symbol:
        """This symbol with the candidates of these names alone, if there are any."""
        kept = tuple(pair for pair in self.candidates if pair[0].name in names)
        return replace(self, candidates=kept) if kept else self


@dataclass(frozen=True)
class _Piece:
    """Numbers of connected components that may be one symbol, and their box."""

    parts: tuple[int, ...]
    box: Box


class SymbolReader:
    """Finds the symbols of a picture."""

    def __init__(self) -> None:
        self._session = session(WEIGHTS / "symbols.onnx")
        self.kinds = kinds()
        self._prior = _FREQUENCY * np.log(np.array([kind.share for kind in self.kinds], np.float32))

    def read(self, gray: Gray) -> list[Symbol]:
        """Symbols of a picture (height, width) of dark print on light paper; without order."""
        ink = ink_of(gray)
        labels, pieces = _pieces(ink)
        if pieces and _usual(pieces) < _SMALL:
            # Between enlarged symbols that nearly touch there is paper again.
            double = 2 * ink.shape[1], 2 * ink.shape[0]
            ink = np.asarray(Image.fromarray(ink).resize(double, Image.Resampling.BICUBIC))
            labels, pieces = _pieces(ink)
        if not pieces:
            return []
        pieces = self._parted(ink, labels, pieces)
        groups = _groups(pieces)
        everything = [*pieces, *groups]
        scores = self._classify([_picture(ink, labels, piece) for piece in everything])
        chosen = self._settle(everything, scores, len(pieces))
        return [self._symbol(everything[number].box, scores[number]) for number in chosen]

    def _parted(self, ink: Gray, labels: NDArray[np.int32], pieces: list[_Piece]) -> list[_Piece]:
        """The pieces, those that are no symbol cut in two where both halves are one; ``labels`` follow."""
        scores = self._rate([_picture(ink, labels, piece) for piece in pieces])
        usual, found = _usual(pieces), []
        for piece, score in zip(pieces, scores.tolist(), strict=True):
            area = _area(piece.box)
            own = labels[area] == piece.parts[0]
            wide = piece.box.width > 0.8 * usual and piece.box.width < 6 * piece.box.height
            cut = halves(own, ink[area], self._rate) if score < _DOUBTED and wide else None
            if cut is None or cut.score < max(score, _DOUBTED):
                found.append(piece)
                continue
            new = int(labels.max()) + 1
            labels[area][cut.right] = new
            for part, mask in ((piece.parts[0], cut.left), (new, cut.right)):
                rows, columns = box(mask)
                x, y = piece.box.x0, piece.box.y0
                inner = Box(x + columns.start, y + rows.start, x + columns.stop, y + rows.stop)
                found.append(_Piece((part,), inner))
        return found

    def _rate(self, pictures: Sequence[Gray]) -> NDArray[np.float64]:
        """Log-probability of each picture's best class, -inf where that is no symbol."""
        scores = self._classify(pictures)
        best = scores.argmax(axis=1)
        named = np.array([bool(kind.name) for kind in self.kinds])
        return np.where(named[best], scores.max(axis=1), -np.inf)

    def _classify(self, pictures: Sequence[Gray]) -> NDArray[np.float32]:
        fitted = [normal(picture) for picture in pictures]
        found = []
        for start in range(0, len(fitted), _BATCH):
            part = fitted[start : start + _BATCH]
            inputs = {
                "pictures": np.stack([picture for picture, _ in part]).astype(np.float32) / 255,
                "shapes": np.array([shape for _, shape in part], np.float32),
            }
            found.append(self._session.run(None, inputs)[0])
        scores = np.concatenate(found) + self._prior
        return (scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)).astype(np.float32)

    def _settle(self, everything: Sequence[_Piece], scores: NDArray[np.float32], singles: int) -> list[int]:
        """Numbers of the pieces and groups that are symbols: the surest groups first, each piece used once."""
        best = scores.argmax(1)
        sure = [
            (float(scores[number, best[number]]), number)
            for number in range(singles, len(everything))
            if self.kinds[best[number]].pieces == len(everything[number].parts)
            and scores[number, best[number]] > math.log(_JOINED)
        ]
        used: set[int] = set()
        chosen = []
        # Of two that share a piece the larger is right: the parts of a sign of three look like one of two.
        for _, number in sorted(sure, key=lambda pair: (-len(everything[pair[1]].parts), -pair[0])):
            if not used & set(everything[number].parts):
                used |= set(everything[number].parts)
                chosen.append(number)
        return chosen + [number for number in range(singles) if everything[number].parts[0] not in used]

    def _symbol(self, box: Box, scores: NDArray[np.float32]) -> Symbol:
        order = np.argsort(-scores)[:_KEPT]
        return Symbol(box, tuple((self.kinds[number], float(scores[number])) for number in order))


@lru_cache
def kinds() -> list[Kind]:
    """The classes in the classifier's order."""
    table: list[tuple[str, tuple[float, float, float] | None, int, float]] = json.loads(
        (WEIGHTS / "symbols.json").read_text(encoding="utf-8")
    )
    found = []
    for name, metrics, pieces, share in table:
        top, bottom, width = metrics or (None, None, None)
        found.append(Kind(name, top, bottom, width, pieces, share))
    return found


def ink_of(gray: Gray) -> Gray:
    """How dark each pixel is between the paper's tone and the print's, 0 to 255."""
    paper, print_ = np.percentile(gray, 90), np.percentile(gray, 0.5)
    return np.clip((paper - gray.astype(np.float32)) * 255 / max(paper - print_, 60), 0, 255).astype(np.uint8)


def _pieces(ink: Gray) -> tuple[NDArray[np.int32], list[_Piece]]:
    labels, count = ndimage.label(ink > _INK, np.ones((3, 3)))
    boxes = ndimage.find_objects(labels)
    areas = ndimage.sum_labels(ink > _INK, labels, np.arange(1, count + 1))
    pieces = []
    heights = [box[0].stop - box[0].start for box in boxes]
    speck = (0.06 * float(np.median(heights))) ** 2 if heights else 0.0
    for number, (rows, columns) in enumerate(boxes, 1):
        if areas[number - 1] > max(speck, 2):
            pieces.append(_Piece((number,), Box(columns.start, rows.start, columns.stop, rows.stop)))
    return labels, pieces


def _groups(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Two or three neighbouring pieces that may be one sign, like those of ``i``, ``=`` or ``Xi``."""
    usual = _usual(pieces)
    numbers = range(len(pieces))
    pairs = [(i, j) for i in numbers for j in numbers[i + 1 :] if _may_join(pieces[i], pieces[j], usual)]
    near: dict[int, set[int]] = {}
    for i, j in pairs:
        near.setdefault(i, set()).add(j)
        near.setdefault(j, set()).add(i)
    chosen = {tuple(sorted(pair)) for pair in pairs}
    chosen |= {tuple(sorted({i, j, k})) for i, j in pairs for k in (near[i] | near[j]) - {i, j}}
    return [_joined([pieces[number] for number in group]) for group in sorted(chosen)]


def _joined(pieces: Sequence[_Piece]) -> _Piece:
    box = pieces[0].box
    for piece in pieces[1:]:
        box = box.union(piece.box)
    return _Piece(tuple(sorted(part for piece in pieces for part in piece.parts)), box)


def _may_join(first: _Piece, second: _Piece, usual: float) -> bool:
    a, b = first.box, second.box
    if a.holds(b) or b.holds(a):
        return True
    size = max(a.width, a.height, b.width, b.height)
    gap = max(a.y0, b.y0) - min(a.y1, b.y1)
    if a.is_flat and b.is_flat:  # an equals sign, but not a fraction's bar and another line
        return a.overlap_x(b) > 0.8 * max(a.width, b.width) and gap < 0.5 * min(a.width, usual)
    # The dots of a colon are far apart for their size.
    apart = 0.7 * usual if size < 0.4 * usual else 0.8 * size
    over = a.overlap_x(b) > 0.5 * min(a.width, b.width) and gap < apart
    across = min(a.y1, b.y1) - max(a.y0, b.y0) > 0.8 * max(a.height, b.height)
    return over or (across and max(a.x0, b.x0) - min(a.x1, b.x1) < 0.35 * size)


def _picture(ink: Gray, labels: NDArray[np.int32], piece: _Piece) -> Gray:
    """The ink of a piece alone, its soft edge included."""
    area = _area(piece.box)
    own = np.isin(labels[area], piece.parts)
    edge = ndimage.binary_dilation(own) & (labels[area] == 0) & (ink[area] > _FRINGE)
    return np.where(own | edge, ink[area], 0).astype(np.uint8)


def _area(box: Box) -> tuple[slice, slice]:
    return slice(int(box.y0), int(box.y1)), slice(int(box.x0), int(box.x1))


def _usual(pieces: Sequence[_Piece]) -> float:
    return float(np.median([piece.box.height for piece in pieces]))
