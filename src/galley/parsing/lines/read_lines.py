"""Pass: the page's lines of text, from where ``choose_text_source`` says."""

from __future__ import annotations

from galley.drafters.ocr.engine import is_legible
from galley.drafters.text_layer import text_layer_lines
from galley.ingest.page import LayerQuality, TextLayer
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

_FELL_BACK = "no text could be read from the page's image; its text layer was taken instead"


def read_lines(page: PageState, tools: PageTools) -> None:
    """Take the lines of the text layer, or recognise those of the image.

    Where OCR reads nothing and the text layer shows words, these are taken, and a warning says so.

    Reads: image, line_quads, text_layer, uses_text_layer, warnings.
    Changes: lines, ocr_lines, illegible_lines, warnings.
    """
    if page.uses_text_layer:
        page.lines = text_layer_lines(page.text_layer)
        return
    quads = tools.ocr.detect(page.image) if page.line_quads is None else page.line_quads
    read = tools.ocr.read_quads(page.image, quads, features=tools.keep_features)
    page.ocr_lines = [line for line in read if is_legible(line)]
    page.illegible_lines = [line for line in read if not is_legible(line)]
    page.lines = list(page.ocr_lines)
    if not page.ocr_lines and _shows_words(page.text_layer):
        page.lines = text_layer_lines(page.text_layer)
        page.warnings = [*page.warnings, _FELL_BACK]


def _shows_words(layer: TextLayer) -> bool:
    """Whether the layer holds words that can be seen on the page and whose letters are known."""
    return layer.quality in (LayerQuality.GOOD, LayerQuality.PARTIAL) and bool(layer.words)
