"""Pass: whether the page's text layer can be trusted."""

from __future__ import annotations

from galley.ingest.page import LayerQuality, TextLayer
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools


def choose_text_source(page: PageState, tools: PageTools) -> None:
    """Decide whether lines come from the text layer or from OCR.

    Reads: text_layer.
    Changes: uses_text_layer.
    """
    page.uses_text_layer = is_trusted(page.text_layer, tools.options)


def is_trusted(layer: TextLayer, options: ParseOptions) -> bool:
    """Whether a text layer is taken instead of OCR: where it is good, unless the options say otherwise."""
    if options.ocr == "always":
        return False
    return options.ocr == "never" or layer.quality is LayerQuality.GOOD
