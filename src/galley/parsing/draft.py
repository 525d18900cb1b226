"""The draft strategy: a page parsed without any vision–language model, and what all other strategies begin with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from galley.document import Page
from galley.drafters.ocr import OcrEngine
from galley.drafters.tables import TableReader
from galley.ingest.page import PageImage
from galley.layout.region import Detector
from galley.parsing.options import ParseOptions
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import ImageSink, PageTools
from galley.parsing.page_passes import PAGE_PASSES, PagePass, run_page_passes


class DraftParser:
    """Parses pages by the text layer or OCR, layout detection and geometry: by ``PAGE_PASSES``.

    Models are loaded at first use.

    Args:
        options: What was asked for.
        image_sink: Keeps the figures; None where they are not kept.
        detector: Finds regions; the one that ships with Galley unless given.
    """

    def __init__(
        self, options: ParseOptions, image_sink: ImageSink | None = None, detector: Detector | None = None
    ) -> None:
        self.options = options
        self.page_tools = PageTools(options, image_sink, detector)

    def for_options(self, options: ParseOptions, image_sink: ImageSink | None) -> DraftParser:
        """A parser for other options that shares this one's models."""
        twin = DraftParser(options, image_sink)
        twin.page_tools = self.page_tools.for_options(options, image_sink)
        return twin

    @property
    def ocr(self) -> OcrEngine:
        """Finds and recognises lines of text."""
        return self.page_tools.ocr

    @property
    def tables(self) -> TableReader:
        """Finds the rows and columns of a table."""
        return self.page_tools.tables

    @property
    def features(self) -> bool:
        """Whether recognised lines keep the features they were read from, for a model that reads those."""
        return self.page_tools.keep_features

    @features.setter
    def features(self, keep: bool) -> None:
        self.page_tools.keep_features = keep

    def run(self, page: PageImage, more: Sequence[PagePass] = ()) -> PageState:
        """The page after ``PAGE_PASSES`` and then ``more`` passes, which a strategy adds."""
        return run_page_passes(PageState.of(page), self.page_tools, (*PAGE_PASSES, *more))

    def parse_page(self, page: PageImage) -> Page:
        """One page's blocks in reading order."""
        return self.run(page).as_page()

    def parse_with_image(self, page: PageImage) -> tuple[Page, NDArray[np.uint8]]:
        """The parsed page and its upright image, (height, width, 3), which the blocks' boxes refer to."""
        state = self.run(page)
        return state.as_page(), state.image
