"""What the detector finds on drawn pages, and that it finds no text where there is none."""

import numpy as np
import pytest
from pages import PROSE, draw, words
from PIL import Image
from scipy import ndimage

from galley.drafters.ocr import OcrEngine
from galley.drafters.ocr.detection import content_window
from galley.drafters.ocr.text_quads import sides


@pytest.fixture(scope="module")
def engine() -> OcrEngine:
    return OcrEngine()


def test_content_window_holds_the_ink_and_a_margin_only():
    page = np.full((400, 600, 3), 255, np.uint8)
    page[100:120, 300:500] = 0
    rows, columns = content_window(page)
    assert rows.start < 100 and rows.stop > 120 and rows.stop - rows.start < 120
    assert columns.start < 300 and columns.stop > 500 and columns.stop - columns.start < 300


@pytest.mark.parametrize("shade", [0, 90, 255])
def test_content_window_of_a_blank_page_is_none(shade):
    assert content_window(np.full((50, 70, 3), shade, np.uint8)) is None


def test_content_window_stays_inside_the_page():
    page = np.full((61, 83, 3), 255, np.uint8)
    page[[0, -1]] = 0
    page[:, [0, -1]] = 0
    rows, columns = content_window(page)
    assert page[rows, columns].shape == page.shape


def test_quads_lie_on_the_lines_they_are_of(engine):
    page = draw(PROSE, size=24, margin=80)
    quads = engine.detect(page)
    assert len(quads) == len(PROSE)
    for row, quad in enumerate(quads):
        start = 80 + row * 48
        ys, xs = np.nonzero((page[start : start + 48] < 128).any(axis=2))
        top, bottom, left, right = ys.min() + start, ys.max() + start, xs.min(), xs.max()
        assert quad[:, 0].min() == pytest.approx(left, abs=8)
        assert quad[:, 0].max() == pytest.approx(right, abs=8)
        assert top - 14 <= quad[:, 1].min() <= top + 4
        assert bottom - 4 <= quad[:, 1].max() <= bottom + 14


@pytest.mark.parametrize("degrees", [-5, 5])
def test_tilted_lines_get_tilted_quads_and_are_read(engine, degrees):
    level = Image.fromarray(draw(PROSE, size=24, width=860))
    tilted = np.asarray(level.rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white"))
    quads = engine.detect(tilted)
    along = quads[:, 1] - quads[:, 0]
    np.testing.assert_allclose(np.degrees(np.arctan2(along[:, 1], along[:, 0])), -degrees, atol=0.5)
    assert [words(line.text) for line in engine.read(tilted, quads=quads)] == [words(line) for line in PROSE]


def test_columns_do_not_merge(engine):
    left, right = draw(PROSE, size=20, margin=30, width=640), draw(PROSE[::-1], size=20, margin=30, width=640)
    lines = engine.read(np.concatenate([left, right], axis=1))
    assert len(lines) == 2 * len(PROSE)
    assert all(line.bbox.x1 < 640 or line.bbox.x0 > 640 for line in lines)
    assert [words(line.text) for line in lines if line.bbox.x0 > 640] == [words(line) for line in PROSE[::-1]]


def test_small_print_under_a_large_heading(engine):
    heading = draw(["Annual Report"], size=90, margin=40, width=1600)
    small = draw(PROSE, size=15, margin=40, width=1600)
    found = [words(line.text) for line in engine.read(np.concatenate([heading, small]))]
    assert found == [["annual", "report"], *(words(line) for line in PROSE)]


def test_a_line_of_2500_pixels_is_not_squeezed(engine):
    text = " ".join(PROSE[:3])
    page = draw([text], size=28, margin=40, width=2600)
    lines = engine.read(page)
    assert sum(sides(quad)[0] for quad in engine.detect(page)) > 2000
    assert [word for line in lines for word in words(line.text)] == words(text)


def smooth_noise(sigma: float) -> np.ndarray:
    noise = ndimage.gaussian_filter(np.random.default_rng(0).normal(size=(500, 400, 3)), (sigma, sigma, 0))
    return ((noise - noise.min()) / np.ptp(noise) * 255).astype(np.uint8)


def gradient() -> np.ndarray:
    return np.repeat(np.linspace(0, 255, 500)[:, None, None], 400, axis=1).repeat(3, axis=2).astype(np.uint8)


def rings() -> np.ndarray:
    y, x = np.mgrid[:500, :400]
    wave = 127 + 127 * np.sin(np.hypot(x - 200, y - 250) / 9)
    return np.repeat(wave[..., None], 3, axis=2).astype(np.uint8)


@pytest.mark.parametrize(
    "picture",
    [smooth_noise(0.01), smooth_noise(1), smooth_noise(4), smooth_noise(20), gradient(), rings()],
    ids=["noise", "grain", "blobs", "clouds", "gradient", "rings"],
)
def test_pictures_hold_no_text(engine, picture):
    assert engine.read(picture) == []
