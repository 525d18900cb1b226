"""A line of text as a drafter read it: what every drafter gives and assembly, tables and models take."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox
from galley.document.spans import CharStyle
from galley.drafters.letter_ink import LetterInk


@dataclass
class Word:
    """A word and its box in page-image pixels."""

    text: str
    bbox: BBox
    latex: str | None = None
    """with its mathematics as ``$…$``; None where it holds none"""
    styles: tuple[CharStyle, ...] | None = None
    """style of each character; None where all are plain"""
    char_boxes: NDArray[np.float32] | None = None
    """(len(text), 4) ``x0, y0, x1, y1`` of each character; only where there are styles"""


@dataclass
class TextLine:
    """One line of text with its box in page-image pixels.

    Attributes:
        confidence: 0 to 1, None where the drafter has none (a PDF's text layer).
        source: ``pdf-text``, ``ocr`` or ``file``.
        words: The line's words in order, where the drafter knows their boxes; their texts joined by spaces give
            ``text`` up to white space.
        size: Font size (or line height for OCR) in pixels.
        bold: From the font, False when unknown.
        italic: From the font, False when unknown.
        mono: From the font, False when unknown.
        entry: Whether it is an entry of a table of contents.
        char_frames: (len(text),) the recogniser's frame each character was read at; only where asked for, for a
            model that reads them.
        features: (frames, channels) the recogniser's features, likewise.
        ink: How much of the line's ink the text explains; None where that is not known.
    """

    text: str
    bbox: BBox
    confidence: float | None = None
    source: str = "ocr"
    words: list[Word] = field(default_factory=list)
    size: float = 0.0
    bold: bool = False
    italic: bool = False
    mono: bool = False
    entry: bool = False
    char_frames: NDArray[np.int64] | None = None
    features: NDArray[np.float16] | None = None
    ink: LetterInk | None = None

    @property
    def is_unread(self) -> bool:
        """Whether the line shows letters that its text does not hold, as far as the drafter can tell."""
        return self.ink is not None and self.ink.is_unread(self.text, self.confidence or 0.0)
