"""Single images read for a prompt: what is asked for, and the draft readers' answer."""

from __future__ import annotations

from collections.abc import Sequence

from galley.document import BBox, Document, Label, Page, Table
from galley.drafters.line import TextLine
from galley.ingest.page import PageImage
from galley.parsing.blocks.build_blocks import zone_blocks
from galley.parsing.blocks.context import BlockContext
from galley.parsing.draft import DraftParser
from galley.parsing.lines.join_justified_lines import joined_justified
from galley.parsing.lines.measure_body_text import body_height
from galley.parsing.page.state import BodyText, Zone
from galley.parsing.strategies.drafts import draft_text
from galley.reading import open_with
from galley.serving.tasks import ReadRegion
from galley.targets.prompt import TableFormat, Task

_LABELS = {Task.TEXT: Label.TEXT, Task.TABLE: Label.TABLE, Task.FORMULA: Label.FORMULA}
_ASKED = {"text recognition": Task.TEXT, "table recognition": Task.TABLE, "formula recognition": Task.FORMULA}


def asked(prompt: str) -> Task:
    """GLM-OCR's region prompts by their words; whatever else is asked for, the whole page is read."""
    return _ASKED.get(prompt.strip().rstrip(":.").strip().lower(), Task.PAGE)


def region_image(task: ReadRegion) -> PageImage:
    """The image to read, within the limits that the options set."""
    with open_with(task.path, task.options, "the image") as source:
        return source.page(1)


def read_drafted(parser: DraftParser, task: ReadRegion) -> str:
    """What the draft readers see: text, a table as HTML, a formula's text, or a page as Markdown."""
    image, wanted = region_image(task), asked(task.prompt)
    if wanted is Task.PAGE:
        return page_text(parser.parse_page(image), task)
    return region_text(region_page(parser, image, wanted)[0])


def page_text(page: Page, task: ReadRegion) -> str:
    """A page as Markdown."""
    return Document(pages=[page]).to_markdown(task.options.keep).strip()


def region_text(region: Page) -> str:
    """A region's blocks as a model asked for them would write them."""
    return "\n".join(draft_text(block, TableFormat.HTML) for block in region.blocks)


def region_page(parser: DraftParser, image: PageImage, wanted: Task) -> tuple[Page, list[TextLine]]:
    """The whole image as one region, its lines put together as what it is said to be; and the lines as read."""
    pixels = image.image
    height, width = pixels.shape[:2]
    region = Page(number=1, width=width, height=height)
    read = parser.ocr.read(pixels, features=parser.features)
    if not read:
        return region, read

    def read_table(box: BBox, inside: Sequence[TextLine]) -> Table | None:
        return parser.tables.read(pixels, box, list(inside))

    lines = joined_justified(read)
    zone = Zone(_LABELS[wanted], BBox(x0=0, y0=0, x1=width, y1=height), lines)
    region.blocks = zone_blocks(zone, BlockContext(BodyText(body_height(lines)), read_table))
    return region, read
