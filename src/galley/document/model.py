"""The document model: a ``Document`` has ``Page``s, which have ``Block``s; a ``Table`` is a grid of cells.

Coordinates are pixels of the upright page image, with the origin at the top left and y pointing down. ``Page`` holds
the size of the image and its dots per inch.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from galley.document.bbox import BBox, Data
from galley.document.methods import call
from galley.document.spans import Span, are_valid

if TYPE_CHECKING:
    from docling_core.types.doc import DoclingDocument
    from pandas import DataFrame

SCHEMA_VERSION = "1.1"


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


class Line(Data):
    """One line of text.

    Attributes:
        text: its text.
        bbox: its box.
        confidence: how certain the text is, 0 to 1; None where it is not known.
    """

    text: str
    bbox: BBox
    confidence: Confidence | None = None


class Cell(Data):
    """A table cell.

    Attributes:
        row: its first row, counted from 0.
        col: its first column, counted from 0.
        text: its plain text.
        rowspan: number of rows it covers.
        colspan: number of columns it covers.
        header: whether it is a header cell.
        bbox: its box, where it is known.
    """

    row: int = Field(ge=0)
    col: int = Field(ge=0)
    text: str = ""
    rowspan: int = Field(default=1, ge=1)
    colspan: int = Field(default=1, ge=1)
    header: bool = False
    bbox: BBox | None = None


class Table(Data):
    """A grid of cells, which do not overlap. A place that no cell covers is empty.

    Attributes:
        rows: number of rows.
        cols: number of columns.
        cells: the cells.
    """

    rows: int = Field(ge=0)
    cols: int = Field(ge=0)
    cells: list[Cell] = Field(default_factory=list)

    @property
    def has_spans(self) -> bool:
        """Whether a cell covers more than one row or column."""
        return any(cell.rowspan > 1 or cell.colspan > 1 for cell in self.cells)

    def to_html(self) -> str:
        """The table as ``<table>``, with spans and header cells."""
        return str(call("table_to_html", self))

    def to_csv(self) -> str:
        """The table as comma-separated values; the text of a cell over several places is in the first of them."""
        return str(call("table_to_csv", self))

    def to_dataframe(self) -> DataFrame:
        """The table as a pandas ``DataFrame`` of texts.

        Leading header rows name the columns, several of them as a ``MultiIndex``. The text of a cell over several
        places is in all of them.

        Raises:
            UsageError: pandas is not installed.
        """
        return call("table_to_dataframe", self)


class Block(Data):
    """A part of a page: a paragraph, heading, table, formula, figure and so on.

    Attributes:
        label: what it is.
        bbox: where it is.
        content: plain text without Markdown; LaTeX without delimiters for a formula; HTML for a table; alternative
            text for a figure. Where ``table`` is set, it is the truth and ``content`` its HTML.
        spans: the styles and links of ``content``; cells of tables have none.
        confidence: how certain the text is, 0 to 1; None where it is not known.
        source: who read it: ``pdf-text``, ``ocr``, ``table``, ``file``, or the name of a model.
        level: level of a heading or of a nested list item.
        table: the grid of a table.
        image: path of a figure's saved picture.
        lines: the lines it was made of.
        flags: what a reader should know: ``low-confidence``, ``loop``, ``failed``, ``draft-kept``, ``unsupported``,
            ``unverified``, ``unread-text``.
        continues: whether it goes on from the last block of the same kind in an earlier column or on an earlier page.
        extra: further facts, such as corrections.
    """

    label: Label
    bbox: BBox
    content: str = ""
    spans: list[Span] = Field(default_factory=list)
    confidence: Confidence | None = None
    source: str | None = None
    level: int | None = None
    table: Table | None = None
    image: str | None = None
    lines: list[Line] = Field(default_factory=list)
    flags: list[str] = Field(default_factory=list)
    continues: bool = False
    """True when this block goes on from the last block of the same kind in an earlier column or on an earlier
    page."""
    extra: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _spans_fit(self) -> Block:
        if not are_valid(self.spans, len(self.content)):
            raise ValueError("the spans overlap or lie outside the text")
        return self


class FormField(Data):
    """A field of a form.

    Attributes:
        name: its full name in the file.
        type: ``text``, ``checkbox``, ``radio``, ``combo``, ``list``, ``button`` or ``signature``.
        value: the text; the chosen option, or the list of them; whether a box is checked; None where there is none.
        options: what can be chosen; the value that a check box or radio button stands for.
        label: what the file calls it for its readers.
        bbox: where it is.
    """

    name: str
    type: str
    value: bool | str | list[str] | None = None
    options: list[str] = Field(default_factory=list)
    label: str | None = None
    bbox: BBox


class Failure(Data):
    """Something that was asked for and could not be read.

    Attributes:
        message: what, in one line.
        page: number of the page, counted from 1; None for the whole document.
    """

    message: str
    page: int | None = None


class Work(Data):
    """What it took to read a page with a model.

    Attributes:
        reader: name of the model.
        tokens: written tokens; the first of each prefill comes from reading the prompt.
        prefills: number of prompts read.
        forwards: forward passes after the prefills.
        seconds: time with prefills.
        decode_seconds: time without prefills.
        plain_seconds: time that plain decoding's forward passes would take; 0 where it is not known.
        forward_seconds: time of the forward passes made; 0 where it is not known.
    """

    reader: str
    tokens: int = 0
    prefills: int = 0
    forwards: int = 0
    seconds: float = 0.0
    decode_seconds: float = 0.0
    plain_seconds: float = 0.0
    forward_seconds: float = 0.0


class Page(Data):
    """A page.

    Attributes:
        number: its number in the document, counted from 1.
        width: width of the upright page image in pixels.
        height: its height in pixels.
        dpi: its resolution in dots per inch.
        rotation: clockwise turn in degrees (0, 90, 180, 270) that made it upright.
        skew: small angle in degrees that was undone after that.
        blocks: the blocks in reading order.
        fields: the fields of a form on it, with their values.
        warnings: what was done otherwise than asked, such as a lower resolution.
        failures: parts that a model could not read, whose drafts are kept. The document lists them too.
        work: what reading with a model took; not part of the document.
    """

    number: int = Field(ge=1)
    width: int = Field(ge=0)
    height: int = Field(ge=0)
    dpi: float = 200.0
    rotation: int = 0
    skew: float = 0.0
    blocks: list[Block] = Field(default_factory=list)
    fields: list[FormField] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
    failures: list[str] = Field(default_factory=list, exclude=True)
    work: Work | None = Field(default=None, exclude=True)

    def to_markdown(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """The page alone as Markdown.

        Args:
            keep: which of ``headers``, ``footers``, ``footnotes`` and ``page-numbers`` to show.
        """
        return Document(pages=[self]).to_markdown(keep)


class Document(Data):
    """A parsed document.

    Attributes:
        schema_version: version of the JSON format.
        source: where it came from: a path, an address or a name.
        page_count: number of pages of the source, read or not.
        pages: the pages that were read.
        failures: everything that was asked for and could not be read.
        metadata: Galley's version, and under ``file`` what the file says about itself.
    """

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
        """The document in any output format, as ``galley parse -f`` writes it.

        Args:
            format: name of the format.
            keep: which of ``headers``, ``footers``, ``footnotes`` and ``page-numbers`` to show.

        Raises:
            UsageError: there is no such format; the message names those there are.
        """
        return str(call("export", self, format, keep))

    def to_markdown(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """The document as Markdown.

        Args:
            keep: which of ``headers``, ``footers``, ``footnotes`` and ``page-numbers`` to show.
        """
        return self.export("md", keep)

    def to_html(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """The document as a complete HTML page.

        Args:
            keep: which of ``headers``, ``footers``, ``footnotes`` and ``page-numbers`` to show.
        """
        return self.export("html", keep)

    def to_text(self, keep: str | Collection[str] = ("footnotes",)) -> str:
        """The document as plain text.

        Args:
            keep: which of ``headers``, ``footers``, ``footnotes`` and ``page-numbers`` to show.
        """
        return self.export("text", keep)

    def to_json(self, indent: int | None = 2) -> str:
        """The document as JSON with everything that is known; ``from_json`` reads it.

        Args:
            indent: spaces per level; None for a single line.
        """
        return str(call("to_json", self, indent))

    @classmethod
    def from_json(cls, text: str | bytes) -> Document:
        """The document that ``to_json`` wrote.

        Raises:
            InputError: the text is something else.
        """
        document: Document = call("from_json", text)
        return document

    def to_docling(self) -> DoclingDocument:
        """The document as docling-core's ``DoclingDocument``.

        Raises:
            UsageError: docling-core is not installed.
        """
        return call("to_docling", self)

    def to_glmocr(self) -> list[list[dict[str, Any]]]:
        """The document as the GLM-OCR SDK's JSON.

        Returns:
            Per page a list of regions, with boxes on a scale of 0 to 1000.
        """
        regions: list[list[dict[str, Any]]] = call("to_glmocr", self)
        return regions
