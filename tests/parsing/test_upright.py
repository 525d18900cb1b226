"""Pages whose text layer says which way up they are."""

from __future__ import annotations

import numpy as np
import pytest
from page_states import tools

from galley.document import BBox
from galley.drafters.ocr import OcrEngine
from galley.ingest.page import LayerQuality, PageImage, TextLayer, TextWord
from galley.parsing.page.correct_orientation import correct_orientation, turned_layer
from galley.parsing.page.state import PageState

_WIDTH, _HEIGHT = 600, 800
_TEXT = "A page that somebody scanned upside down still holds every word that it held before"


class _Unasked(OcrEngine):
    """Fails when a page is turned by what an engine reads on it."""

    def __init__(self) -> None:
        pass

    def detect(self, image: object) -> np.ndarray:
        raise AssertionError("the layer alone tells")


def _layer(text: str = _TEXT, *, mirrored: bool = False) -> TextLayer:
    """Words of a layer, four to a line, 10 pixels a character."""
    words = []
    for i, word in enumerate(text.split()):
        if i % 4 == 0:
            x = 50.0
        y = 100.0 + 30 * (i // 4)
        left = x + 10 * np.arange(len(word), dtype=np.float32)
        boxes = np.stack([left, 0 * left + y, left + 9, 0 * left + y + 20], axis=1)
        if mirrored:
            boxes[:, [0, 2]] = _WIDTH - boxes[:, [2, 0]]
        x += 10 * len(word) + 10
        x0, x1 = float(boxes[:, 0].min()), float(boxes[:, 2].max())
        box = BBox(x0=x0, y0=y, x1=x1, y1=y + 20)
        words.append(TextWord(word, box, size=20, char_boxes=boxes.astype(np.float32)))
    return TextLayer(words, LayerQuality.GOOD)


def _page(layer: TextLayer) -> PageImage:
    image = np.full((_HEIGHT, _WIDTH, 3), 255, np.uint8)
    image[:10] = 0
    return PageImage(1, image, 200, layer)


def _corrected(layer: TextLayer) -> PageState:
    """The page after the pass, when its text layer is used."""
    page, used = PageState.of(_page(layer)), tools()
    page.uses_text_layer, used.ocr = True, _Unasked()
    correct_orientation(page, used)
    return page


def test_an_upside_down_layer_turns_the_page_and_itself() -> None:
    layer = _layer()
    upside_down = turned_layer(layer, 180, _WIDTH, _HEIGHT)
    upright = _corrected(upside_down)
    assert upright.rotation == 180
    assert (upright.image[-10:] == 0).all() and (upright.image[:-10] == 255).all()
    assert [word.bbox for word in upright.text_layer.words] == [word.bbox for word in layer.words]


@pytest.mark.parametrize(
    "layer",
    [
        _layer(),
        _layer(mirrored=True),
        _layer("שלום עולם ומלואו " * 5, mirrored=True),  # Hebrew runs from right to left
        turned_layer(_layer("too short"), 180, _WIDTH, _HEIGHT),
    ],
    ids=["upright", "mirrored", "hebrew", "few words"],
)
def test_other_layers_leave_the_page_as_it_is(layer: TextLayer) -> None:
    upright = _corrected(layer)
    assert upright.rotation == 0
    assert upright.text_layer is layer
