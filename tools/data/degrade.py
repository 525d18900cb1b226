"""What scanners, fax machines, cameras and copiers do to a clean grey page image."""

from __future__ import annotations

import io
import random

import numpy as np
from PIL import Image
from scipy import ndimage

Grey = np.ndarray
"""(height, width) float32, 0 black to 255 white."""


def degrade(image: Grey, rng: random.Random) -> Grey:
    """A random chain of effects; a sixth of the pages stays clean, as born-digital pages are."""
    noise = np.random.default_rng(rng.randrange(1 << 30))
    if rng.random() < 0.17:
        return image
    image = _ink(image, rng)
    image = _tones(image, rng)
    if rng.random() < 0.45:
        image = _lighting(image, rng, noise)
    if rng.random() < 0.5:
        image = _resample(image, rng)
    if rng.random() < 0.6:
        image = ndimage.gaussian_filter(image, rng.uniform(0.2, 1.3))
    if rng.random() < 0.6:
        image = image + noise.normal(0, rng.choice([2, 5, 10, 20]), image.shape).astype(np.float32)
    if rng.random() < 0.1:
        image = _binarise(image, rng, noise)
    if rng.random() < 0.55:
        image = _jpeg(image, rng.randint(18, 90))
    return np.clip(image, 0, 255)


def _ink(image: Grey, rng: random.Random) -> Grey:
    """Ink that spreads or thins, evenly or in patches."""
    roll = rng.random()
    if roll < 0.12:
        thick = ndimage.minimum_filter(image, 2)
        return image + (thick - image) * rng.uniform(0.3, 1.0)
    if roll < 0.24:
        thin = ndimage.maximum_filter(image, 2)
        return image + (thin - image) * rng.uniform(0.2, 0.7)
    return image


def _tones(image: Grey, rng: random.Random) -> Grey:
    """Paper that is not white, ink that is not black; sometimes light text on a dark ground."""
    paper, ink = rng.uniform(185, 255), rng.uniform(0, 110)
    if rng.random() < 0.06:
        paper, ink = rng.uniform(0, 90), rng.uniform(190, 255)
    return ink + image * ((paper - ink) / 255)


def _lighting(image: Grey, rng: random.Random, noise: np.random.Generator) -> Grey:
    """A slow gradient and cloudy paper."""
    height, width = image.shape
    coarse = noise.normal(0, 1, (4, 6)).astype(np.float32)
    field = ndimage.zoom(coarse, (height / 4, width / 6), order=1)[:height, :width]
    field = np.pad(field, ((0, height - field.shape[0]), (0, width - field.shape[1])), mode="edge")
    return image * (1 + field * rng.uniform(0.02, 0.12))


def _resample(image: Grey, rng: random.Random) -> Grey:
    """Scanned at a lower resolution and scaled up again."""
    height, width = image.shape
    factor = rng.uniform(0.36, 0.95)
    small = Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)).resize(
        (max(1, round(width * factor)), max(1, round(height * factor))), Image.Resampling.BOX
    )
    method = rng.choice([Image.Resampling.BILINEAR, Image.Resampling.BICUBIC, Image.Resampling.NEAREST])
    return np.asarray(small.resize((width, height), method), dtype=np.float32)


def _binarise(image: Grey, rng: random.Random, noise: np.random.Generator) -> Grey:
    """A bilevel scan with a few wrong pixels."""
    smooth = ndimage.gaussian_filter(image, 0.8)
    ink, paper = np.percentile(smooth, [0.5, 50])
    bilevel = np.where(smooth > ink + (paper - ink) * rng.uniform(0.4, 0.7), 255.0, 0.0).astype(np.float32)
    flips = noise.random(image.shape) < rng.choice([0.0, 0.0005, 0.003])
    return np.where(flips, 255 - bilevel, bilevel)


def _jpeg(image: Grey, quality: int) -> Grey:
    stream = io.BytesIO()
    Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)).save(stream, "JPEG", quality=quality)
    return np.asarray(Image.open(stream), dtype=np.float32)
