"""A page as ingest hands it on: its image and, for a PDF, its own text layer."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, FormField, Page
from galley.document.spans import CharStyle
from galley.ingest.page_glyphs import PageGlyphs
from galley.ingest.page_vectors import PageVectors
from galley.ingest.xfa import XfaItem


@dataclass
class TextWord:
    """A word of a PDF's text layer; box in page-image pixels, size in pixels.

    ``char_boxes`` is (len(text), 4) float32, ``x0, y0, x1, y1`` per character in page-image pixels.
    ``underlined``, ``struck`` and ``highlighted`` say what is drawn under, through and behind the word alone.
    """

    text: str
    bbox: BBox
    font: str = ""
    size: float = 0.0
    bold: bool = False
    italic: bool = False
    mono: bool = False
    char_boxes: NDArray[np.float32] | None = None
    styles: tuple[CharStyle, ...] | None = None
    """style of each character; None where all are plain"""
    guessed: bool = False
    """whether its letters are what its font's codes mean if they are those of TeX; its picture tells"""
    latex: str | None = None
    """the word with its mathematics as ``$…$``; None where it holds none"""
    underlined: bool = False
    struck: bool = False
    highlighted: bool = False


@dataclass(frozen=True)
class Comment:
    """What somebody wrote on a page. kind: the annotation's subtype. author: "" where it is not named."""

    kind: str
    text: str
    author: str
    bbox: BBox


@dataclass(frozen=True)
class Stamp:
    """Where a page is stamped: the box in page-image pixels and the colour, red, green and blue of 0 to 255."""

    bbox: BBox
    colour: tuple[int, int, int]


class LayerQuality(str, Enum):
    """How far a text layer can be trusted."""

    NONE = "none"
    """no text"""
    GOOD = "good"
    """born digital"""
    OCR = "ocr"
    """invisible text somebody's OCR put over a scan"""
    PARTIAL = "partial"
    """right where it has words, but the page shows more text (a scan with a stamped header, one bad font)"""
    BROKEN = "broken"
    """garbage: missing glyph maps, replacement or private-use characters, implausible words"""


@dataclass
class TextLayer:
    """The text layer of one page, words in content order; ``reason`` says in words why it has its quality.

    pictures: boxes of the raster images on the page, in page-image pixels; the layer knows nothing of text in them.
    watermarks: what is stamped aslant over the page, each text once; not among ``words``.
    stamps: where the watermarks stand, every one of them.
    glyphs: the page's glyphs and rules where it holds mathematics, None elsewhere.
    vertical: whether its lines run downwards, as those of Japanese and Chinese may, the right one first.
    fields: the fields of a form on the page; what they say is among ``words``.
    comments: what somebody wrote on the page; not among ``words``, but for what fills a form in.
    typed: boxes of text that somebody typed on the blanks of a printed form, which is among ``words``.
    xfa: the contents of a dynamic XFA form, which has no words on the page.
    vectors: the page's rules and fills but those that belong to single words; None where there is no PDF.
    """

    words: list[TextWord] = field(default_factory=list)
    quality: LayerQuality = LayerQuality.NONE
    reason: str = ""
    pictures: list[BBox] = field(default_factory=list)
    watermarks: list[TextWord] = field(default_factory=list)
    stamps: list[Stamp] = field(default_factory=list)
    glyphs: PageGlyphs | None = None
    vertical: bool = False
    fields: list[FormField] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    typed: list[BBox] = field(default_factory=list)
    xfa: list[XfaItem] = field(default_factory=list)
    vectors: PageVectors | None = None


@dataclass
class PageImage:
    """One page: ``number`` is 1-based.

    ``image`` is (height, width, 3) uint8 RGB as it is stored (EXIF and PDF rotation applied); ``dpi`` is the
    resolution it was rendered at, or the file's own (200 when it names none). ``warnings`` are lines fit for a user,
    such as a resolution that had to be lowered. ``document`` is what the document is called in messages. ``drafts``
    are what other tools' files have for the page, boxes in those files' own pixels; None where no file was given.
    """

    number: int
    image: NDArray[np.uint8]
    dpi: float
    text: TextLayer = field(default_factory=TextLayer)
    warnings: list[str] = field(default_factory=list)
    document: str = ""
    drafts: list[Page] | None = None
