"""Reading a picture of a single table or formula: no layout is looked for, the whole picture is the block."""

from __future__ import annotations

from pathlib import Path

from galley.document import BBox, Block, Label, Page
from galley.errors import UsageError
from galley.ingest.page import PageImage
from galley.parsing.blocks.build_blocks import zone_blocks
from galley.parsing.blocks.context import BlockContext
from galley.parsing.draft import DraftParser
from galley.parsing.lines.measure_body_text import body_height
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import BodyText, Zone
from galley.parsing.strategies.regions import RegionsParser, with_answers
from galley.parsing.text.hyphenation import Vocabulary
from galley.reading import open_with
from galley.strategy_factory import make_strategy


class CropReader:
    """Reads crops with the drafter, or with the model that the options name, as ``regions`` reads blocks.

    The embedded model leaves tables and formulas as they were drafted, in crops as on pages.
    """

    def __init__(self, options: ParseOptions) -> None:
        if options.strategy in ("page", "hierarchical"):
            raise UsageError(f"--strategy {options.strategy} reads pages, not crops; take draft or regions")
        if options.strategy == "auto" and options.model is not None:
            options = options.model_copy(update={"strategy": "regions"})
        parser = make_strategy(options)
        self._options = options
        self._regions = parser if isinstance(parser, RegionsParser) else None
        self._draft = parser if isinstance(parser, DraftParser) else parser.draft

    def read(self, path: Path, label: Label) -> Block:
        """The one block of a picture."""
        with open_with(path, self._options, None) as source:
            page = source.page(1)
        block = drafted_crop(self._draft, page, label)
        if self._regions is None:
            return block
        height, width = page.image.shape[:2]
        whole = Page(number=1, width=width, height=height, dpi=page.dpi, blocks=[block])
        tasks = self._regions.requests.of_page(whole, page.image)
        results = self._regions.decoder.run([task.request for task in tasks])
        if results and results[0].error is not None:
            raise RuntimeError(str(results[0].error))
        return with_answers(whole, tasks, results, self._regions.reader).blocks[0]


def drafted_crop(draft: DraftParser, page: PageImage, label: Label) -> Block:
    """The one block of a picture as the drafter reads it."""
    image = page.image
    box = BBox(x0=0, y0=0, x1=image.shape[1], y1=image.shape[0])
    lines = draft.ocr.read(image)
    context = BlockContext(
        BodyText(body_height(lines), words=Vocabulary(line.text for line in lines)),
        read_table=lambda bbox, inside: draft.tables.read(image, bbox, list(inside)),
    )
    blocks = zone_blocks(Zone(label, box, lines, 1.0), context)
    if len(blocks) == 1 and blocks[0].label is label:
        return blocks[0]
    return Block(label=label, bbox=box, content="\n".join(block.content for block in blocks))
