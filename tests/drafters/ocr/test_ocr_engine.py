import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from galley.document import BBox
from galley.drafters.ocr import OcrEngine

sys.path.insert(0, str(Path(__file__).parent))
from pages import PROSE, draw, words


@pytest.fixture(scope="module")
def engine() -> OcrEngine:
    return OcrEngine()


def test_reads_a_page_word_for_word_in_order(engine):
    page = draw(PROSE)
    lines = engine.read(page)
    assert [words(line.text) for line in lines] == [words(line) for line in PROSE]
    assert all(line.confidence > 0.9 and line.source == "ocr" for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "Invoice No. 2024-00317, due 15/03/2025",
        "Total: $1,284.50 (incl. 19% VAT)",
        'Is it so? Yes! "Quoted"; a/b & c',
        "mail@example.org +49 30 1234567",
        "7",
    ],
)
def test_a_line_is_read_to_the_letter(engine, text):
    assert [line.text.strip() for line in engine.read(draw([text], size=32))] == [text]


def test_word_boxes_hold_the_ink_of_their_words(engine):
    page = draw(["Hamlet   prince    of     Denmark"])
    (line,) = engine.read(page)
    assert [word.text for word in line.words] == line.text.split()
    inked = np.flatnonzero((page < 128).any(axis=(0, 2)))
    parts = np.split(inked, np.flatnonzero(np.diff(inked) > 12) + 1)
    assert len(parts) == len(line.words)
    for part, word in zip(parts, line.words, strict=True):
        assert word.bbox.x0 == pytest.approx(part[0], abs=9)
        assert word.bbox.x1 == pytest.approx(part[-1], abs=9)


def test_features_come_with_the_frames_of_the_characters(engine):
    (plain,), (line,) = (
        engine.read(draw(["Hello, world"])),
        engine.read(draw(["Hello, world"]), features=True),
    )
    assert plain.features is None
    assert line.features.dtype == np.float16
    assert line.features.shape[1] == 120
    assert len(line.char_frames) == len(line.text)
    assert (np.diff(line.char_frames) >= 0).all()
    assert line.char_frames[-1] < len(line.features)


def test_a_line_reads_the_same_alone_and_in_company(engine):
    crops = [draw([text], margin=6, height=44, width=700) for text in PROSE]
    together = engine.recognise(crops, features=True)
    for crop, reading in zip(crops, together, strict=True):
        (alone,) = engine.recognise([crop], features=True)
        assert alone.text == reading.text
        np.testing.assert_array_equal(alone.features, reading.features)


def test_given_boxes_are_read_in_their_order_and_none_is_dropped(engine):
    page = draw(["alpha", "omega"])
    first, second = (line.bbox for line in engine.read(page))
    empty = BBox(x0=700, y0=20, x1=800, y1=50)
    read = engine.read_lines(page, [second, empty, first])
    assert [line.text.strip() for line in read] == ["omega", "", "alpha"]
    assert engine.read_lines(page, []) == []


@pytest.mark.parametrize("degrees", [90, 270])
def test_lines_that_run_up_or_down_the_page(engine, degrees):
    strip = Image.fromarray(draw(["Energy per atom"], margin=20, width=300)).rotate(degrees, expand=True)
    page = Image.new("RGB", (900, 600), "white")
    page.paste(Image.fromarray(draw(PROSE, size=20, margin=10, width=700)), (150, 40))
    page.paste(strip, (10, 150))
    assert "Energy per atom" in [line.text.strip() for line in engine.read(np.asarray(page))]


def test_a_single_upright_character_is_not_turned(engine):
    page = draw(["1", "7", "I"], width=300)
    assert [line.text.strip() for line in engine.read(page)][:2] == ["1", "7"]


def test_light_text_on_dark(engine):
    lines = engine.read(255 - draw(PROSE[:2]))
    assert [words(line.text) for line in lines] == [words(line) for line in PROSE[:2]]


def test_tiny_text_on_a_large_page(engine):
    page = np.full((2600, 2000, 3), 255, np.uint8)
    small = draw(PROSE, size=13, margin=10, width=420)
    page[300 : 300 + small.shape[0], 200 : 200 + small.shape[1]] = small
    found = [word for line in engine.read(page) for word in words(line.text)]
    truth = [word for line in PROSE for word in words(line)]
    assert len(set(found) & set(truth)) >= 0.9 * len(set(truth))


@pytest.mark.parametrize("shape", [(1, 1), (20, 20), (3, 900), (900, 3), (700, 500)])
@pytest.mark.parametrize("shade", [0, 255])
def test_blank_images_of_any_shape_hold_nothing(engine, shape, shade):
    assert engine.read(np.full((*shape, 3), shade, np.uint8)) == []


def test_a_long_strip(engine):
    text = " ".join(PROSE[:2])
    strip = draw([text], size=34, margin=12, height=60, width=3000)
    found = [word for line in engine.read(strip) for word in words(line.text)]
    assert sorted(found) == sorted(words(text))


def test_a_line_up_a_narrow_strip(engine):
    text = "The spine of a book, volume 12"
    strip = Image.fromarray(draw([text], size=34, margin=12, height=60, width=3000)).rotate(90, expand=True)
    assert strip.size == (60, 3000)
    assert " ".join(line.text.strip() for line in engine.read(np.asarray(strip))) == text


def test_a_tall_receipt(engine):
    lines = [f"Item {n} costs {n}.50" for n in range(40)]
    found = [line.text.strip() for line in engine.read(draw(lines, size=26, width=420, margin=30))]
    assert sum(line in found for line in lines) >= 38
