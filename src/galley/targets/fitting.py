"""Images at sizes that models accept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PIL import Image

_SMALLEST_SIDE = 28
_LARGEST_RATIO = 100
"""Image processors refuse slivers (a ratio of 200, or less than one patch); paper is added to such crops."""


def fitted(image: NDArray[np.uint8], longest_side: int | None) -> Image.Image:
    """The image at a size that any processor accepts.

    Args:
        image: (height, width, 3) uint8 RGB.
        longest_side: pixels to which a larger image is shrunk; None for no limit.

    Returns:
        The image, shrunk where it is too large; very thin images are padded with white.
    """
    picture = Image.fromarray(image).convert("RGB")
    if longest_side is not None:
        picture.thumbnail((longest_side, longest_side), Image.Resampling.LANCZOS)
    least = max(_SMALLEST_SIDE, -(-max(picture.size) // _LARGEST_RATIO))
    size = max(picture.width, least), max(picture.height, least)
    if size == picture.size:
        return picture
    canvas = Image.new("RGB", size, "white")
    canvas.paste(picture, ((size[0] - picture.width) // 2, (size[1] - picture.height) // 2))
    return canvas
