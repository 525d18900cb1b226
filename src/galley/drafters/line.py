"""A line of text as a drafter read it: what every drafter gives and assembly, tables and models take."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox


@dataclass
class Word:
    """A word and its box in page-image pixels."""

    text: str
    bbox: BBox
    latex: str | None = None
    """with its mathematics as ``$…$``; None where it holds none"""


@dataclass
class TextLine:
    """One line of text with its box in page-image pixels.

    confidence: 0 to 1, None where the drafter has none (a PDF's text layer).
    source: ``pdf-text``, ``ocr`` or ``file``.
    words: the line's words in order, where the drafter knows their boxes; their texts joined by spaces give ``text``
        up to white space.
    size: font size (or line height for OCR) in pixels. bold, italic, mono: from the font, False when unknown.
    entry: whether it is an entry of a table of contents.
    char_frames: (len(text),) the recogniser's frame each character was read at, features: (frames, channels) its
        features; only where asked for, for a model that reads them.
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
