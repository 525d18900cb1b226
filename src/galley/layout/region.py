"""A labelled region of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Label


@dataclass(frozen=True)
class Region:
    """What a detector found: a label, a box in page-image pixels and a score from 0 to 1.

    drawn: whether it is a table whose cells the page draws, which the text in them cannot contradict.
    """

    label: Label
    bbox: BBox
    score: float
    drawn: bool = False


class Detector(Protocol):
    """Anything that finds the regions of an upright image (height, width, 3), uint8 RGB."""

    def detect(self, image: NDArray[np.uint8]) -> list[Region]:
        """The regions of a page."""
        ...
