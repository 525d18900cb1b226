"""Symbols of a formula's picture: its pieces of ink, joined where several make one sign, and classified."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from galley.drafters.formulas.components import (
    Component,
    Gray,
    Labels,
    components_of,
    groups_of,
    ink_of,
    picture_of,
    usual_height,
)
from galley.drafters.formulas.glyph_boxes import Box
from galley.drafters.formulas.split_touching import box, halves
from galley.drafters.formulas.symbol_classes import WEIGHTS, Symbol, kinds
from galley.drafters.formulas.symbol_image import symbol_image
from galley.runtime import session

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


class SymbolReader:
    """Finds the symbols of a picture."""

    def __init__(self) -> None:
        self._session = session(WEIGHTS / "symbols.onnx")
        self._kinds = kinds()
        self._prior = _FREQUENCY * np.log(np.array([kind.share for kind in self._kinds], np.float32))

    def read(self, gray: Gray) -> list[Symbol]:
        """Symbols of a picture (height, width) of dark print on light paper; without order."""
        ink = ink_of(gray)
        labels, pieces = components_of(ink)
        if pieces and usual_height(pieces) < _SMALL:
            # Between enlarged symbols that nearly touch there is paper again.
            double = 2 * ink.shape[1], 2 * ink.shape[0]
            ink = np.asarray(Image.fromarray(ink).resize(double, Image.Resampling.BICUBIC))
            labels, pieces = components_of(ink)
        if not pieces:
            return []
        pieces = self._parted(ink, labels, pieces)
        everything = [*pieces, *groups_of(pieces)]
        scores = self._classify([picture_of(ink, labels, piece) for piece in everything])
        chosen = self._settle(everything, scores, len(pieces))
        return [self._symbol(everything[number].box, scores[number]) for number in chosen]

    def _parted(self, ink: Gray, labels: Labels, pieces: list[Component]) -> list[Component]:
        """The pieces, those that are no symbol cut in two where both halves are one; ``labels`` follow."""
        scores = self._rate([picture_of(ink, labels, piece) for piece in pieces])
        usual, found = usual_height(pieces), []
        for piece, score in zip(pieces, scores.tolist(), strict=True):
            own = labels[piece.area] == piece.parts[0]
            wide = piece.box.width > 0.8 * usual and piece.box.width < 6 * piece.box.height
            cut = halves(own, ink[piece.area], self._rate) if score < _DOUBTED and wide else None
            if cut is None or cut.score < max(score, _DOUBTED):
                found.append(piece)
                continue
            new = int(labels.max()) + 1
            labels[piece.area][cut.right] = new
            for part, mask in ((piece.parts[0], cut.left), (new, cut.right)):
                rows, columns = box(mask)
                x, y = piece.box.x0, piece.box.y0
                inner = Box(x + columns.start, y + rows.start, x + columns.stop, y + rows.stop)
                found.append(Component((part,), inner))
        return found

    def _rate(self, pictures: Sequence[Gray]) -> NDArray[np.float64]:
        """Log-probability of each picture's best class, -inf where that is no symbol."""
        scores = self._classify(pictures)
        best = scores.argmax(axis=1)
        named = np.array([bool(kind.name) for kind in self._kinds])
        return np.where(named[best], scores.max(axis=1), -np.inf)

    def _classify(self, pictures: Sequence[Gray]) -> NDArray[np.float32]:
        """Log-probabilities (pictures, classes)."""
        fitted = [symbol_image(picture) for picture in pictures]
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

    def _settle(
        self, everything: Sequence[Component], scores: NDArray[np.float32], singles: int
    ) -> list[int]:
        """Numbers of the pieces and groups that are symbols: the surest groups first, each piece used once."""
        best = scores.argmax(1)
        sure = [
            (float(scores[number, best[number]]), number)
            for number in range(singles, len(everything))
            if self._kinds[best[number]].pieces == len(everything[number].parts)
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
        return Symbol(box, tuple((self._kinds[number], float(scores[number])) for number in order))
