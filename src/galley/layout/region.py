"""A labelled region of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Label


@dataclass(frozen=True)
class Region:
    """What a detector found: a label, a box in page-image pixels and a score from 0 to 1."""

    label: Label
    bbox: BBox
    score: float


class Detector(Protocol):
    """Anything that finds the regions of an upright image (height, width, 3), uint8 RGB."""

    def detect(self, image: NDArray[np.uint8]) -> list[Region]:
        """The regions of a page."""
        ...
