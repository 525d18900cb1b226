"""The layout detector on a page drawn here."""

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from galley.document import Label
from galley.layout.detector import PicoDetector, suppress

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "and",
    "runs",
    "along",
    "the",
    "river",
    "to",
    "its",
    "den",
]


def text(draw, x, y, width, lines, size):
    font = ImageFont.load_default(size)
    at = 0
    for row in range(lines):
        line = ""
        while draw.textlength(line + WORDS[at % len(WORDS)], font) < width:
            line += WORDS[at % len(WORDS)] + " "
            at += 1
        draw.text((x, y + row * size * 1.3), line, fill="black", font=font)


@pytest.fixture(scope="module")
def page():
    image = Image.new("RGB", (1240, 1754), "white")
    draw = ImageDraw.Draw(image)
    draw.text((120, 110), "3  Results of the study", fill="black", font=ImageFont.load_default(44))
    text(draw, 120, 220, 1000, 10, 24)
    for i in range(7):
        draw.line((120, 640 + i * 50, 1120, 640 + i * 50), fill="black", width=3)
    for i in range(6):
        draw.line((120 + i * 200, 640, 120 + i * 200, 940), fill="black", width=3)
    for i in range(30):
        place = (150 + i % 5 * 200, 652 + i // 5 * 50)
        draw.text(place, f"{i * 3.7:.1f}", fill="black", font=ImageFont.load_default(24))
    text(draw, 120, 1040, 1000, 12, 24)
    return np.asarray(image)


def test_finds_text_table_and_title(page):
    regions = PicoDetector().detect(page)
    by_label = {label: [r for r in regions if r.label is label] for label in Label}
    (table,) = by_label[Label.TABLE]
    assert abs(table.bbox.y0 - 640) < 60 and abs(table.bbox.y1 - 940) < 60
    assert abs(table.bbox.x0 - 120) < 60 and abs(table.bbox.x1 - 1120) < 60
    assert sum(r.bbox.height for r in by_label[Label.TEXT]) > 400
    assert any(r.bbox.y1 < 220 for r in by_label[Label.TITLE])
    assert all(0.4 <= r.score <= 1 for r in regions)
    assert all(0 <= r.bbox.x0 < r.bbox.x1 <= 1240 and 0 <= r.bbox.y0 < r.bbox.y1 <= 1754 for r in regions)


def test_blank_page_has_nothing():
    assert PicoDetector().detect(np.full((1000, 700, 3), 255, np.uint8)) == []


def test_threshold_only_takes_away(page):
    some = PicoDetector(threshold=0.4).detect(page)
    fewer = PicoDetector(threshold=0.8).detect(page)
    assert len(fewer) <= len(some)
    assert all(region.score >= 0.8 for region in fewer)


def test_suppression_keeps_the_best_of_each_place():
    boxes = np.array([[0, 0, 10, 10], [1, 0, 11, 10], [20, 0, 30, 10], [0, 0, 10, 5]], np.float32)
    scores = np.array([0.6, 0.9, 0.5, 0.7], np.float32)
    assert suppress(boxes, scores, 0.5) == [1, 3, 2]
    assert suppress(boxes[:0], scores[:0], 0.5) == []
