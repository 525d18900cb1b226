"""Pass: letters that are a guess compared with their pictures."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from difflib import SequenceMatcher

from galley.drafters.text_layer import text_layer_lines
from galley.ingest.page import LayerQuality, TextLayer
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

MOST_LINES = 4
"""Lines that are read, the longest ones; they tell about the whole page."""
LEAST_ALIKE = 0.6
"""Ratio of letters that must agree. Codes that are not TeX's agree in hardly any."""


def check_guessed_text(page: PageState, tools: PageTools) -> None:
    """Distrust a text layer whose letters are guessed from codes, unless lines of it read like their pictures.

    Accents do not count: in them the recogniser is less certain than the codes.

    Reads: image, text_layer.
    Changes: text_layer.
    """
    words = [word for word in page.text_layer.words if word.guessed]
    if not words or page.text_layer.quality is not LayerQuality.GOOD or tools.options.ocr == "never":
        return
    lines = sorted(text_layer_lines(TextLayer(words)), key=lambda line: -len(line.text))[:MOST_LINES]
    read = tools.ocr.read_lines(page.image, [line.bbox for line in lines])
    shown = _bare(" ".join(line.text for line in read))
    guessed = _bare(" ".join(line.text for line in lines))
    if SequenceMatcher(None, guessed, shown, autojunk=False).ratio() < LEAST_ALIKE:
        page.text_layer = replace(
            page.text_layer,
            quality=LayerQuality.BROKEN,
            reason="the letters' codes are in no known encoding",
        )


def _bare(text: str) -> str:
    """Letters and figures without accents and case."""
    return "".join(char for char in unicodedata.normalize("NFKD", text).casefold() if char.isalnum())
