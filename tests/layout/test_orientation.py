import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from galley.document import BBox
from galley.drafters.line import TextLine
from galley.drafters.ocr import OcrEngine
from galley.layout import orientation
from galley.layout.orientation import page_orientation, turned
from galley.layout.skew import deskew, deskewed_boxes, page_skew

TEXT = (
    "Call me Ishmael. Some years ago, never mind how long precisely, having little or no money in my purse, and "
    "nothing particular to interest me on shore, I thought I would sail about a little and see the watery part of "
    "the world. It is a way I have of driving off the spleen and regulating the circulation. "
)


def prose() -> np.ndarray:
    image = Image.new("RGB", (1000, 1300), "white")
    font, pen = ImageFont.load_default(26), ImageDraw.Draw(image)
    words, y, line = TEXT.split() * 3, 90, ""
    for word in words:
        if pen.textlength(f"{line} {word}", font) > 820:
            pen.text((90, y), line, font=font, fill="black")
            y, line = y + 42, ""
        line = f"{line} {word}".strip()
    pen.text((90, y), line, font=font, fill="black")
    return np.asarray(image)


def table() -> np.ndarray:
    image = Image.new("RGB", (1000, 700), "white")
    font, pen = ImageFont.load_default(22), ImageDraw.Draw(image)
    for row in range(14):
        for column, cell in enumerate(
            (f"Region {row}", f"{row * 137 + 12}", f"{row * 3.7:.2f}", f"{row % 5} %")
        ):
            pen.text((70 + 220 * column, 60 + row * 42), cell, font=font, fill="black")
        pen.line((60, 95 + row * 42, 920, 95 + row * 42), fill="black")
    return np.asarray(image)


def receipt() -> np.ndarray:
    image = Image.new("RGB", (420, 1100), "white")
    font, pen = ImageFont.load_default(20), ImageDraw.Draw(image)
    for row in range(24):
        pen.text((30, 40 + row * 42), f"{row + 1} x Article number {row * 31}", font=font, fill=(90, 90, 90))
        pen.text((340, 40 + row * 42), f"{row}.95", font=font, fill=(90, 90, 90))
    return np.asarray(image)


@pytest.fixture(scope="module")
def engine() -> OcrEngine:
    return OcrEngine()


@pytest.mark.parametrize("page", [prose, table, receipt])
@pytest.mark.parametrize("suffered", [0, 90, 180, 270])
def test_a_turned_page_is_turned_back(engine, page, suffered):
    upright = page()
    turn = page_orientation(turned(upright, suffered), engine)
    np.testing.assert_array_equal(turned(turned(upright, suffered), turn), upright)


@pytest.mark.parametrize("shape", [(1, 1), (30, 2000), (2000, 30), (800, 600)])
def test_pages_without_text_stay_as_they_are(engine, shape):
    noise = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    assert page_orientation(np.full((*shape, 3), 255, np.uint8), engine) == 0
    assert page_orientation(noise, engine) == 0


def test_a_wrong_classifier_is_overruled_by_the_text(engine, monkeypatch):
    for claim in (90, 180, 270):
        monkeypatch.setattr(orientation, "_classify", lambda image, claim=claim: claim)
        assert page_orientation(prose(), engine) == 0
        assert page_orientation(table(), engine) == 0


class Reader:
    """Lines that lie or stand, read with the given confidences upright and upside down."""

    def __init__(self, lying: bool, upright: float, upside_down: float) -> None:
        size = (90, 10) if lying else (10, 90)
        self.quads = np.array([[[0, 0], [size[0], 0], size, [0, size[1]]]] * 3, np.float32)
        self.confidence = upright, upside_down

    def detect(self, image):
        return self.quads

    def read_quads(self, image, quads, *, as_given):
        turned_around = int(quads[0, 0].any())
        line = TextLine("text", BBox(x0=0, y0=0, x1=90, y1=10), confidence=self.confidence[turned_around])
        return [line] * len(quads)


@pytest.mark.parametrize(
    ("claim", "reader", "expected"),
    [
        (180, Reader(True, 0.95, 0.5), 180),
        (180, Reader(True, 0.95, 0.95), 0),
        (180, Reader(True, 0.5, 0.95), 0),
        (180, Reader(True, 0.4, 0.3), 0),
        (90, Reader(True, 0.95, 0.5), 90),
        (90, Reader(True, 0.4, 0.3), 90),
        (270, Reader(True, 0.5, 0.95), 0),
        (270, Reader(False, 0.95, 0.5), 0),
    ],
)
def test_the_lines_decide_whether_the_classifier_is_believed(monkeypatch, claim, reader, expected):
    monkeypatch.setattr(orientation, "_classify", lambda image: claim)
    assert page_orientation(np.full((100, 100, 3), 255, np.uint8), reader) == expected


@pytest.mark.parametrize("degrees", [-6.0, -1.5, -0.5, 0.0, 0.7, 3.0])
def test_skew_is_measured_and_undone(engine, degrees):
    tilted = np.asarray(
        Image.fromarray(prose()).rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    )
    measured = page_skew(engine.detect(tilted))
    assert measured == pytest.approx(degrees, abs=0.2)
    straight = deskew(tilted, measured)
    assert min(straight.shape[:2]) >= min(tilted.shape[:2])
    assert page_skew(engine.detect(straight)) == pytest.approx(0, abs=0.2)


def test_skew_needs_lines_and_ignores_strays():
    def line(y: float, degrees: float) -> list[list[float]]:
        dx, dy = 300 * np.cos(np.radians(degrees)), 300 * np.sin(np.radians(degrees))
        return [[0, y], [dx, y + dy], [dx, y + dy + 20], [0, y + 20]]

    assert page_skew(np.zeros((0, 4, 2), np.float32)) == 0
    assert page_skew(np.array([line(0, 2)], np.float32)) == 0
    tilted = [line(40 * n, 2) for n in range(6)]
    strays = [line(400, 40), line(500, -12)]
    assert page_skew(np.array(tilted + strays, np.float32)) == pytest.approx(2, abs=0.01)


def test_new_corners_take_the_margins_colour():
    page = np.full((100, 200, 3), (240, 230, 200), np.uint8)
    np.testing.assert_array_equal(np.unique(deskew(page, 3.0).reshape(-1, 3), axis=0), [[240, 230, 200]])


@pytest.mark.parametrize("angle", [-2.5, 0.4, 3.0])
def test_boxes_follow_what_is_in_them_when_the_page_is_straightened(angle: float) -> None:
    page = np.full((500, 900, 3), 255, np.uint8)
    places = [(100, 150), (800, 90), (450, 430)]
    for x, y in places:
        page[y - 5 : y + 5, x - 5 : x + 5] = 0
    quads = np.array([[[x - 5, y - 5], [x + 5, y - 5], [x + 5, y + 5], [x - 5, y + 5]] for x, y in places])
    straight = deskew(page, angle)
    moved = deskewed_boxes(quads.astype(np.float32), angle, page.shape, straight.shape)
    for x, y in moved.mean(axis=1):
        ys, xs = np.nonzero(straight[round(y) - 20 : round(y) + 20, round(x) - 20 : round(x) + 20, 0] < 128)
        assert abs(ys.mean() + 0.5 - 20) < 1.5 and abs(xs.mean() + 0.5 - 20) < 1.5
    assert not np.allclose(moved, quads, atol=1.0)


def few_lines() -> np.ndarray:
    image = Image.new("RGB", (900, 260), "white")
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(30)
    pen.text((60, 60), "The parcel office bundles letters", font=font, fill="black")
    pen.text((60, 150), "and carries them in one bag", font=font, fill="black")
    return np.asarray(image)


@pytest.mark.parametrize("clockwise", [0, 90, 180, 270])
def test_two_lines_are_turned_as_they_read_best(clockwise: int) -> None:
    engine = OcrEngine()
    image = turned(few_lines(), clockwise)
    assert page_orientation(image, engine, engine.detect(image)) == -clockwise % 360
