"""The document model: ``Document`` → ``Page`` → ``Block``; ``Table`` is a grid of cells with spans.

Coordinates are pixels of the upright page image, origin top left, y down; ``Page`` holds the image's size and its
dots per inch, so that other units follow.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import Enum
from functools import reduce
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from galley.document.methods import call

if TYPE_CHECKING:
    from docling_core.types.doc import DoclingDocument
    from pandas import DataFrame

SCHEMA_VERSION = "1.0"


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid")


class BBox(_Data):
    """Axis-aligned box ``x0, y0, x1, y1`` in page-image pixels."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return max(0.0, self.x1 - self.x0)

    @property
    def height(self) -> float:
        return max(0.0, self.y1 - self.y0)

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def center(self) -> tuple[float, float]:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    def intersection(self, other: BBox) -> float:
        """Area shared with ``other`` in square pixels."""
        w = min(self.x1, other.x1) - max(self.x0, other.x0)
        h = min(self.y1, other.y1) - max(self.y0, other.y0)
        return w * h if w > 0 and h > 0 else 0.0

    def iou(self, other: BBox) -> float:
        shared = self.intersection(other)
        union = self.area + other.area - shared
        return shared / union if union > 0 else 0.0

    def inside(self, other: BBox) -> float:
        """Share of this box's area that lies in ``other``, 0 to 1."""
        return self.intersection(other) / self.area if self.area > 0 else 0.0

    def union(self, other: BBox) -> BBox:
        return BBox(
            x0=min(self.x0, other.x0),
            y0=min(self.y0, other.y0),
            x1=max(self.x1, other.x1),
            y1=max(self.y1, other.y1),
        )

    @classmethod
    def around(cls, boxes: Iterable[BBox]) -> BBox:
        """The smallest box that holds all ``boxes``, of which there is at least one."""
        return reduce(cls.union, boxes)

    def padded(self, by: float, width: float, height: float) -> BBox:
        """Grown by ``by`` pixels on each side and clipped to a page of ``width`` × ``height``."""
        return BBox(
            x0=max(0.0, self.x0 - by),
            y0=max(0.0, self.y0 - by),
            x1=min(width, self.x1 + by),
            y1=min(height, self.y1 + by),
        )


class Label(str, Enum):
    """What a region of a page is."""

    TITLE = "title"
    HEADING = "heading"
    TEXT = "text"
    LIST_ITEM = "list_item"
    CODE = "code"
    CAPTION = "caption"
    TABLE = "table"
    FORMULA = "formula"
    FIGURE = "figure"
    REFERENCE = "reference"
    HEADER = "header"
    FOOTER = "footer"
    PAGE_NUMBER = "page_number"
    FOOTNOTE = "footnote"
    ASIDE = "aside"


Confidence = Annotated[float, Field(ge=0.0, le=1.0)]


class Line(_Data):
    """One line of text as a drafter read it."""

    text: str
    bbox: BBox
    confidence: Confidence | None = None


class Cell(_Data):
    """A table cell: its top-left grid place, its spans and its plain text."""

    row: int = Field(ge=0)
    col: int = Field(ge=0)
    text: str = ""
    rowspan: int = Field(default=1, ge=1)
    colspan: int = Field(default=1, ge=1)
    header: bool = False
    bbox: BBox | None = None


class Table(_Data):
    """A grid of ``rows`` × ``cols``; cells do not overlap, and a place no cell covers is empty."""

    rows: int = Field(ge=0)
    cols: int = Field(ge=0)
    cells: list[Cell] = Field(default_factory=list)

    @property
    def has_spans(self) -> bool:
        return any(cell.rowspan > 1 or cell.colspan > 1 for cell in self.cells)

    def to_html(self) -> str:
        """As ``<table>``, spans and header cells kept."""
        return str(call("table_to_html", self))

    def to_csv(self) -> str:
        """As comma-separated values; the text of a cell that spans several places stands in the first of them."""
        return str(call("table_to_csv", self))

    def to_dataframe(self) -> DataFrame:
        """As a pandas ``DataFrame`` of texts.

        Leading header rows name the columns, several of them as a ``MultiIndex``; the text of a cell that spans
        several places stands in all of them. Raises ``UsageError`` where pandas is not installed.
        """
        return call("table_to_dataframe", self)


class Block(_Data):
    """A region of a page with its content in reading order.

    ``content`` is Markdown-free plain text for text-like labels, LaTeX without delimiters for formulas, HTML for tables
    (when ``table`` is set it is the truth and ``content`` its HTML), and alternative text for figures.
    ``source`` names who read it (``pdf-text``, ``ocr``, ``table``, ``file``, or a model). ``flags`` mark what a reader
    should know: ``low-confidence``, ``loop``, ``failed``, ``draft-kept``, ``unsupported``.
    """

    label: Label
    bbox: BBox
    content: str = ""
    confidence: Confidence | None = None
    source: str | None = None
    level: int | None = None
    table: Table | None = None
    image: str | None = None
    lines: list[Line] = Field(default_factory=list)
    flags: list[str] = Field(default_factory=list)
    continues: bool = False
    """True when this block goes on from the last block of the same kind in an earlier column or on an earlier page."""
    extra: dict[str, Any] = Field(default_factory=dict)


class Failure(_Data):
    """Something that could not be read, said instead of dropped silently. ``page`` is 1-based, None = whole file."""

    message: str
    page: int | None = None


class Work(_Data):
    """What reading a page with a model took. reader: its name. tokens: written, one per prefill from reading the
    prompt. forwards: of the model after the prefills. seconds: prefills included, decode_seconds without them;
    plain_seconds, forward_seconds: what plain decoding's forwards and its own cost, 0 where that is not known."""

    reader: str
    tokens: int = 0
    prefills: int = 0
    forwards: int = 0
    seconds: float = 0.0
    decode_seconds: float = 0.0
    plain_seconds: float = 0.0
    forward_seconds: float = 0.0


class Page(_Data):
    """A page: ``number`` is 1-based in its file; ``blocks`` are in reading order.

    ``rotation`` is the clockwise turn in degrees (0, 90, 180, 270) that made the page upright, ``skew`` the small angle
    in degrees undone after that. ``warnings`` say what was done differently from what was asked, such as a lower dpi.
    ``failures`` are parts that a model could not read, whose drafts are kept; a document lists them with its own.
    ``work`` is what a model's reading took; not part of the document.
    """

    number: int = Field(ge=1)
    width: int = Field(ge=0)
    height: int = Field(ge=0)
    dpi: float = 200.0
    rotation: int = 0
    skew: float = 0.0
    blocks: list[Block] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    failures: list[str] = Field(default_factory=list, exclude=True)
    work: Work | None = Field(default=None, exclude=True)

    def to_markdown(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """The page alone as Markdown; ``keep`` as for ``Document.to_markdown``."""
        return Document(pages=[self]).to_markdown(keep)


class Document(_Data):
    """A parsed document. ``failures`` lists everything that was asked for and could not be read."""

    schema_version: str = SCHEMA_VERSION
    source: str | None = None
    page_count: int = 0
    pages: list[Page] = Field(default_factory=list)
    failures: list[Failure] = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def blocks(self) -> list[Block]:
        """The blocks of all pages in reading order."""
        return [block for page in self.pages for block in page.blocks]

    @property
    def tables(self) -> list[Table]:
        """The tables of all pages in reading order."""
        return [block.table for block in self.blocks if block.table is not None]

    def export(self, format: str, keep: str | Collection[str] = ("footnotes",)) -> str:
        """In any output format, as ``galley parse -f`` writes it; ``keep`` as for ``to_markdown``.

        Raises ``UsageError`` with the names there are for a format there is not.
        """
        return str(call("export", self, format, keep))

    def to_markdown(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """As Markdown. ``keep``: which of headers, footers, footnotes, page-numbers to show."""
        return self.export("md", keep)

    def to_html(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """As a complete HTML page. ``keep`` as for ``to_markdown``."""
        return self.export("html", keep)

    def to_text(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """As plain text. ``keep`` as for ``to_markdown``."""
        return self.export("text", keep)

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON with everything that is known; ``from_json`` reads it back."""
        return str(call("to_json", self, indent))

    @classmethod
    def from_json(cls, text: str | bytes) -> Document:
        """The document ``to_json`` wrote; raises ``InputError`` for anything else."""
        document: Document = call("from_json", text)
        return document

    def to_docling(self) -> DoclingDocument:
        """As a ``DoclingDocument`` of docling-core; raises ``UsageError`` where that is not installed."""
        return call("to_docling", self)

    def to_glmocr(self) -> list[list[dict[str, Any]]]:
        """As the GLM-OCR SDK's JSON: per page a list of regions with boxes on a 0 to 1000 scale."""
        regions: list[list[dict[str, Any]]] = call("to_glmocr", self)
        return regions
