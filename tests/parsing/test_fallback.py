"""A page whose image gives no text and whose text layer does."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Page
from galley.drafters.line import TextLine
from galley.drafters.ocr import OcrEngine
from galley.ingest.page import LayerQuality, PageImage, TextLayer, TextWord
from galley.layout.region import Region
from galley.parsing.draft import DraftParser
from galley.parsing.options import ParseOptions


class Blind(OcrEngine):
    """An engine that knows none of the letters."""

    def detect(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        return np.zeros((0, 4, 2), np.float32)

    def read(self, image: NDArray[np.uint8], **options: object) -> list[TextLine]:
        return []


class NoRegions:
    def detect(self, image: NDArray[np.uint8]) -> list[Region]:
        return []


def parsed(quality: LayerQuality) -> Page:
    word = TextWord("한국어", BBox(x0=50, y0=50, x1=150, y1=80), size=28)
    page = PageImage(1, np.full((400, 300, 3), 255, np.uint8), 100, TextLayer([word], quality, ""))
    parser = DraftParser(ParseOptions(ocr="always"), detector=NoRegions())
    parser.page_tools.ocr = Blind()
    return parser.parse_page(page)


def test_the_layer_is_taken_with_a_warning() -> None:
    page = parsed(LayerQuality.GOOD)
    assert [block.content for block in page.blocks] == ["한국어"]
    assert page.blocks[0].source == "pdf-text"
    assert "text layer" in page.warnings[0]


def test_hidden_or_broken_layers_are_not_taken() -> None:
    for quality in (LayerQuality.OCR, LayerQuality.BROKEN):
        page = parsed(quality)
        assert page.blocks == [] and page.warnings == []
