"""Step one of every strategy: the page turned upright and its skew undone."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.ingest.page import PageImage, TextLayer


@dataclass
class Upright:
    """An upright page. ``rotation``: clockwise degrees it was turned by; ``skew``: degrees undone after that.

    The text layer's boxes fit the image.
    """

    image: NDArray[np.uint8]
    text: TextLayer = field(default_factory=TextLayer)
    rotation: int = 0
    skew: float = 0.0


def make_upright(page: PageImage) -> Upright:
    """The page as it comes."""
    return Upright(page.image, page.text)
