import numpy as np
import pytest

from galley.drafters.ocr.text_quads import grow, min_area_rectangle, ordered, sides, text_quads


def rotated(width: float, height: float, degrees: float, center=(100.0, 80.0)) -> np.ndarray:
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    corners = np.array([[-width, -height], [width, -height], [width, height], [-width, height]]) / 2
    return (corners @ turn + center).astype(np.float32)


def filled(quad: np.ndarray, shape=(160, 200)) -> np.ndarray:
    y, x = np.mgrid[: shape[0], : shape[1]]
    inside = np.ones(shape, bool)
    for a, b in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        inside &= (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) >= 0
    return inside


@pytest.mark.parametrize("degrees", [-40, -12, -1, 0, 3, 17, 44])
def test_min_area_rectangle_recovers_a_rotated_box(degrees):
    truth = rotated(90, 20, degrees)
    rng = np.random.default_rng(0)
    share = rng.uniform(size=(500, 2))
    inside = truth[0] + share[:, :1] * (truth[1] - truth[0]) + share[:, 1:] * (truth[3] - truth[0])
    found = min_area_rectangle(np.concatenate([truth, inside]).astype(np.float32))
    np.testing.assert_allclose(found, truth, atol=0.01)


@pytest.mark.parametrize(
    "points",
    [
        [[3, 4]],
        [[3, 4], [3, 4]],
        [[0, 0], [5, 5]],
        [[0, 0], [1, 1], [2, 2], [5, 5]],
        [[1, 1], [4, 1], [9, 1]],
    ],
)
def test_degenerate_points_give_a_flat_rectangle(points):
    quad = min_area_rectangle(np.array(points, np.float32))
    low, high = np.min(points, axis=0), np.max(points, axis=0)
    np.testing.assert_allclose(quad.min(axis=0), low, atol=1e-4)
    np.testing.assert_allclose(quad.max(axis=0), high, atol=1e-4)


def test_corner_order_and_growth():
    quad = rotated(40, 10, 5)
    np.testing.assert_array_equal(ordered(quad[[2, 0, 3, 1]]), quad)
    assert sides(grow(quad, 3)) == pytest.approx((46, 16), abs=1e-3)


@pytest.mark.parametrize("degrees", [-20, 0, 8])
def test_text_quads_finds_the_kernel_and_grows_it(degrees):
    kernel = rotated(100, 12, degrees)
    probability = np.where(filled(kernel), 0.9, 0.0).astype(np.float32)
    quads, scores = text_quads(probability, threshold=0.3, box_threshold=0.5, unclip=1.6)
    assert len(quads) == 1
    assert 0.7 < scores[0] <= 0.9
    margin = 100 * 12 * 1.6 / (2 * 112)
    width, height = sides(quads[0])
    assert width == pytest.approx(100 + 2 * margin, abs=4)
    assert height == pytest.approx(12 + 2 * margin, abs=4)
    along = quads[0][1] - quads[0][0]
    assert np.degrees(np.arctan2(along[1], along[0])) == pytest.approx(degrees, abs=1)


def test_weak_and_tiny_kernels_are_left_out():
    probability = np.zeros((60, 200), np.float32)
    probability[10:20, 10:90] = 0.4
    probability[40, 40] = 1.0
    quads, scores = text_quads(probability, threshold=0.3, box_threshold=0.5, unclip=1.6)
    assert quads.shape == (0, 4, 2)
    assert scores.shape == (0,)


def test_separate_lines_stay_separate():
    probability = np.zeros((100, 200), np.float32)
    for top in (10, 40, 70):
        probability[top : top + 10, 20:180] = 0.95
    assert len(text_quads(probability, threshold=0.3, box_threshold=0.5, unclip=1.6)[0]) == 3
