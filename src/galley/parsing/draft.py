"""The draft strategy: a page parsed without any vision-language model.

Its steps are what other strategies reuse: make the page upright, get its lines, find its zones; only then
are the zones' lines put together to blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from galley.document import BBox, Label, Page, Table
from galley.drafters.formulas import Formula, FormulaReader
from galley.drafters.line import TextLine
from galley.drafters.ocr import OcrEngine
from galley.drafters.tables import TableReader, find_tables, grow_table
from galley.drafters.text_layer import text_layer_lines
from galley.ingest.page import PageImage
from galley.layout.detector import PicoDetector
from galley.layout.region import Detector, Region
from galley.parsing.blocks.build_blocks import ImageSink, Setting, build_blocks, lone_formula
from galley.parsing.blocks.latex import read_latex
from galley.parsing.lines.join_drop_caps import join_drop_caps
from galley.parsing.lines.join_justified_lines import join_justified
from galley.parsing.lines.join_list_marks import join_marks
from galley.parsing.lines.measure_body_text import body_advance, body_height
from galley.parsing.lines.read_picture_text import is_visible, picture_lines, trusts_layer
from galley.parsing.options import ParseOptions
from galley.parsing.page.correct_orientation import Upright, make_upright
from galley.parsing.regions.drop_implausible_regions import credible, with_tables
from galley.parsing.regions.fit_figures import fit_figures
from galley.parsing.text.hyphenation import Vocabulary
from galley.parsing.zones.join_captions import join_captions
from galley.parsing.zones.label_furniture import mark_furniture
from galley.parsing.zones.split_formula_zones import join_numbers, split_formulas
from galley.parsing.zones.zone import Zone, find_zones

_FELL_BACK = "no text could be read from the page's image; its text layer was taken instead"


@dataclass
class LaidOut:
    """A page ready for reading: upright image, its lines, its zones in reading order.

    read: the lines as OCR read them, before pieces were joined; none where the text layer was taken. warnings:
    what was done differently from what was asked.
    """

    upright: Upright
    lines: list[TextLine]
    zones: list[Zone]
    read: list[TextLine] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class DraftParser:
    """Parses pages by the text layer or OCR, layout detection and geometry. Models are loaded at first use.

    image_sink: called with a name and a (height, width, 3) crop for each figure kept; returns the path to
    write into the document. features: lines keep what the recogniser saw in them, for a model that reads it.
    """

    features = False

    def __init__(
        self, options: ParseOptions, image_sink: ImageSink | None = None, detector: Detector | None = None
    ) -> None:
        self.options = options
        self.image_sink = image_sink
        self.detector: Detector = detector or PicoDetector()

    def for_options(self, options: ParseOptions, image_sink: ImageSink | None) -> DraftParser:
        """A parser for other options that shares this one's models."""
        twin = DraftParser(options, image_sink, self.detector)
        twin.ocr, twin.tables, twin.formulas = self.ocr, self.tables, self.formulas
        return twin

    @cached_property
    def ocr(self) -> OcrEngine:
        return OcrEngine()

    @cached_property
    def tables(self) -> TableReader:
        return TableReader()

    @cached_property
    def formulas(self) -> FormulaReader:
        return FormulaReader()

    def parse_page(self, page: PageImage) -> Page:
        """One page's blocks in reading order."""
        return self.parse_with_image(page)[0]

    def parse_with_image(self, page: PageImage) -> tuple[Page, NDArray[np.uint8]]:
        """The parsed page and its upright image, (height, width, 3), which the blocks' boxes refer to."""
        laid_out = self.lay_out(page)
        return self.assemble(page, laid_out), laid_out.upright.image

    def assemble(self, page: PageImage, laid_out: LaidOut) -> Page:
        """The page with its zones as blocks."""
        setting = self.setting(page, laid_out)
        alone = lone_formula(laid_out.zones, setting)
        blocks = [alone] if alone else build_blocks(laid_out.zones, setting)
        height, width = laid_out.upright.image.shape[:2]
        return Page(
            number=page.number,
            width=width,
            height=height,
            dpi=page.dpi,
            rotation=laid_out.upright.rotation,
            skew=laid_out.upright.skew,
            blocks=blocks,
            warnings=laid_out.warnings,
        )

    def lay_out(self, page: PageImage) -> LaidOut:
        """The page upright, with its lines and its zones in reading order."""
        trusted = trusts_layer(page.text, self.options)
        upright = make_upright(page, self.ocr, trust_layer=trusted)
        image = upright.image
        read = [] if trusted else self.ocr.read(image, quads=upright.quads, features=self.features)
        fallen_back = not trusted and not read and is_visible(upright.text)
        lines = text_layer_lines(upright.text) if trusted or fallen_back else list(read)
        regions = self.detector.detect(image)
        if trusted and self.options.ocr != "never":
            lines += picture_lines(image, regions, upright.text.pictures, lines, self.ocr)
        lines = join_justified(join_marks(join_drop_caps(lines)))
        height, width = image.shape[:2]
        regions = fit_figures(image, credible(regions, lines, width, height), lines)
        regions = _with_whole_tables(image, regions, lines)
        zones = find_zones(with_tables(regions, find_tables(image, lines), lines), lines, width, height)
        zones = join_captions(join_numbers(split_formulas(zones)))
        warnings = [_FELL_BACK] if fallen_back else []
        return LaidOut(upright, lines, mark_furniture(zones, height, body_height(lines)), read, warnings)

    def setting(self, page: PageImage, laid_out: LaidOut) -> Setting:
        """What building the blocks of ``page`` needs."""
        image = laid_out.upright.image

        def read_table(bbox: BBox, lines: Sequence[TextLine]) -> Table | None:
            return self.tables.read(image, bbox, list(lines))

        def read_formula(bbox: BBox, numbers: Sequence[BBox]) -> Formula | None:
            return read_latex(self.formulas, image, bbox, numbers)

        counter = iter(range(1, 1_000_000))

        def crop(bbox: BBox) -> str:
            assert self.image_sink is not None
            return self.image_sink(f"page-{page.number}-figure-{next(counter)}", cut(image, bbox))

        return Setting(
            body=body_height(laid_out.lines),
            advance=body_advance(laid_out.lines),
            words=Vocabulary(line.text for line in laid_out.lines),
            read_table=read_table,
            read_formula=read_formula,
            crop=crop if self.image_sink else None,
        )


def _with_whole_tables(
    image: NDArray[np.uint8], regions: Sequence[Region], lines: Sequence[TextLine]
) -> list[Region]:
    """The regions, those of tables grown to the rules that bound them."""
    found = []
    for region in regions:
        if region.label is Label.TABLE:
            taken = [other.bbox for other in regions if other is not region]
            region = replace(region, bbox=grow_table(image, region.bbox, lines, taken))
        found.append(region)
    return found


def cut(image: NDArray[np.uint8], bbox: BBox) -> NDArray[np.uint8]:
    """The part of a (height, width, 3) image within a box, at least one pixel large."""
    height, width = image.shape[:2]
    x0, y0 = min(width - 1, max(0, int(bbox.x0))), min(height - 1, max(0, int(bbox.y0)))
    return image[y0 : max(y0 + 1, round(bbox.y1)), x0 : max(x0 + 1, round(bbox.x1))]
