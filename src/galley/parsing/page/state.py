"""What is known of a page on its way through the passes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Block, Label, Page, Work
from galley.drafters.line import TextLine
from galley.ingest.page import PageImage, TextLayer
from galley.ingest.page_vectors import PageVectors
from galley.layout.region import Region
from galley.parsing.text.hyphenation import Vocabulary

LEAST_RULES = 2
"""Rules that the file draws in a part of the page that a picture covers, for these to be all."""
COVERED = 0.5
"""Share of a part of the page that pictures cover for its rules to be looked for in them."""


@dataclass
class Zone:
    """A part of the page with its lines in reading order.

    A region that the lines bear out, or lines that no region claimed.

    Attributes:
        label: What the zone is.
        bbox: Its box in page-image pixels.
        lines: Its lines of text in reading order.
        score: The layout detector's, 0 to 1; None where the lines alone made the zone.
        rowwise: Whether the lines are cells of rows, to be read across.
        drawn: Whether it is a table whose cells the page draws.
    """

    label: Label
    bbox: BBox
    lines: list[TextLine] = field(default_factory=list)
    score: float | None = None
    rowwise: bool = False
    drawn: bool = False


@dataclass(frozen=True)
class BodyText:
    """Measures of a page's running text.

    Attributes:
        height: Usual type size in pixels.
        advance: Usual width of a character in pixels, 0 where it is not known; East Asian ones count twice.
        words: The words of the page, which tell whether a hyphen at a line's end stays.
    """

    height: float = 1.0
    advance: float = 0.0
    words: Vocabulary = field(default_factory=Vocabulary)


@dataclass
class PageState:
    """A page between two passes.

    A pass sets attributes to new values and leaves the old ones as they are, so that the state before can be compared
    with the state after.

    All boxes are in pixels of ``image``, origin top left, y down.

    Attributes:
        number: 1-based number of the page in its file.
        image: (height, width, 3) uint8 RGB; upright once ``correct_orientation`` has run.
        dpi: Resolution of the image, dots per inch.
        text_layer: The PDF's own words; empty for pictures.
        uses_text_layer: Whether lines are taken from the text layer rather than read from the image.
        rotation: Degrees the page was turned clockwise by: 0, 90, 180 or 270.
        turned: Degrees the page is turned clockwise by for the passes between, its lines being columns; 0 or 270.
        skew: Degrees of tilt undone after that, positive when lines fell towards the right.
        line_quads: (n, 4, 2) rotated boxes of text lines, corners from the top left clockwise; None where none have
            been looked for yet.
        regions: What the layout detector found, best score first.
        ocr_lines: Lines as they were recognised, before any were joined; empty where the text layer is used.
        illegible_lines: Boxes that may hold text and could not be read; what was guessed of them.
        lines: Lines of text, each part of the page's text in one of them.
        body: Measures of the running text.
        loose_lines: Lines that no zone has taken yet.
        zones: Parts of the page, in reading order once ``order_zones`` has run.
        blocks: Parts of the document, in reading order.
        warnings: What was done differently from what was asked, one line each.
        failures: What a model could not read, one line each.
        work: What reading the page with a model took.
        document: What the document is called.
    """

    number: int
    image: NDArray[np.uint8]
    dpi: float = 200.0
    text_layer: TextLayer = field(default_factory=TextLayer)
    uses_text_layer: bool = False
    rotation: int = 0
    turned: int = 0
    skew: float = 0.0
    line_quads: NDArray[np.float32] | None = None
    regions: list[Region] = field(default_factory=list)
    ocr_lines: list[TextLine] = field(default_factory=list)
    illegible_lines: list[TextLine] = field(default_factory=list)
    lines: list[TextLine] = field(default_factory=list)
    body: BodyText = field(default_factory=BodyText)
    loose_lines: list[TextLine] = field(default_factory=list)
    zones: list[Zone] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    work: Work | None = None
    document: str = ""

    @classmethod
    def of(cls, page: PageImage) -> PageState:
        """The state of a page that no pass has seen."""
        return cls(page.number, page.image, page.dpi, page.text, document=page.document)

    @classmethod
    def drafted(cls, page: Page, image: NDArray[np.uint8]) -> PageState:
        """The state of a page whose blocks are known.

        Args:
            page: The page with its blocks.
            image: (height, width, 3), which their boxes refer to.
        """
        state = cls(page.number, image, page.dpi, rotation=page.rotation, skew=page.skew)
        state.take(page)
        return state

    @property
    def width(self) -> int:
        """Width of the image in pixels."""
        return int(self.image.shape[1])

    @property
    def height(self) -> int:
        """Height of the image in pixels."""
        return int(self.image.shape[0])

    def vectors_in(self, box: BBox) -> PageVectors | None:
        """The page's rules and fills, where its file has those of ``box``; None where they are in the image alone."""
        vectors = self.text_layer.vectors
        if not self.uses_text_layer or vectors is None or not vectors.complete:
            return None
        covered = sum(picture.intersection(box) for picture in self.text_layer.pictures) > COVERED * box.area
        return None if covered and len(vectors.within(box).rules) < LEAST_RULES else vectors

    def as_page(self) -> Page:
        """The page as documents hold it."""
        return Page(
            number=self.number,
            width=self.width,
            height=self.height,
            dpi=self.dpi,
            rotation=self.rotation,
            skew=self.skew,
            blocks=self.blocks,
            fields=self.text_layer.fields,
            warnings=self.warnings,
            failures=self.failures,
            work=self.work,
        )

    def take(self, page: Page) -> None:
        """Take over what a model has made of ``as_page()``."""
        self.blocks, self.warnings = page.blocks, page.warnings
        self.failures, self.work = page.failures, page.work
