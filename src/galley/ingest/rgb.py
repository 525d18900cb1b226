"""Any Pillow mode as 8-bit RGB on paper."""

from __future__ import annotations

import numpy as np
from PIL import Image

# Alpha from which a pixel is seen; grey that white paper leaves hardly legible; how much may be darker.
_SEEN, _LIGHT, _DARKER = 32, 200, 0.01


def to_rgb(image: Image.Image) -> Image.Image:
    """``image`` as RGB: transparency over paper, 16-bit and float samples scaled to 8 bits."""
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        return _from_deep(image).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        return _on_paper(image.convert("RGBA"))
    return image.convert("RGB")


def _on_paper(image: Image.Image) -> Image.Image:
    """An RGBA image over white, or over black where it would vanish on white.

    It would where nearly all that is seen of it is light, such as white letters on nothing.
    """
    alpha = image.getchannel("A")
    paper = Image.new("RGB", image.size, "black" if _is_light(image, alpha) else "white")
    paper.paste(image, mask=alpha)
    return paper


def _is_light(image: Image.Image, alpha: Image.Image) -> bool:
    seen = alpha.point([255 * (value >= _SEEN) for value in range(256)])
    greys = image.convert("RGB").convert("L").histogram(seen)
    return sum(greys[:_LIGHT]) <= _DARKER * sum(greys) and sum(greys) > 0


def _from_deep(image: Image.Image) -> Image.Image:
    """Grey samples of more than 8 bits, by the smallest usual depth (8, 12, 16 bits) that holds them.

    Samples beyond 16 bits, below zero or between 0 and 1 have no such depth: their own range is stretched.
    """
    samples = np.nan_to_num(np.asarray(image, dtype=np.float32))
    low, high = float(samples.min()), float(samples.max())
    if low < 0 or high > 65535 or (image.mode == "F" and high <= 1):
        scaled = (samples - low) * (255.0 / (high - low) if high > low else 0.0)
    else:
        top = next(top for top in (255, 4095, 65535) if high <= top)
        scaled = samples * (255.0 / top)
    return Image.fromarray(np.clip(np.rint(scaled), 0, 255).astype(np.uint8))
