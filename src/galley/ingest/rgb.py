"""Any Pillow mode as 8-bit RGB on white paper."""

from __future__ import annotations

import numpy as np
from PIL import Image


def to_rgb(image: Image.Image) -> Image.Image:
    """``image`` as RGB: transparency over white, 16-bit and float samples scaled to 8 bits."""
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        return _from_deep(image).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        return _over_white(image.convert("RGBA"))
    return image.convert("RGB")


def _over_white(image: Image.Image) -> Image.Image:
    paper = Image.new("RGB", image.size, "white")
    paper.paste(image, mask=image.getchannel("A"))
    return paper


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
