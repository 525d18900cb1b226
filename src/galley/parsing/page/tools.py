"""What passes work with: the options and the models. Their packages are imported when a model is first used."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from galley.layout.region import Detector
from galley.parsing.options import ParseOptions

if TYPE_CHECKING:
    from galley.drafters.formulas import FormulaReader
    from galley.drafters.ocr import OcrEngine
    from galley.drafters.ocr.tesseract import Tesseract
    from galley.drafters.tables import TableReader

ImageSink = Callable[[str, NDArray[np.uint8]], str]
"""Takes a figure's name and its (height, width, 3) uint8 RGB image, keeps it, returns the path to write down."""


class PageTools:
    """The options of a parse and its models, which are loaded at first use.

    Attributes:
        options: What was asked for.
        image_sink: Keeps the figures; None where they are not kept.
        detector: Finds regions.
        keep_features: Whether recognised lines keep the features they were read from, for a model that reads those.
    """

    def __init__(
        self,
        options: ParseOptions,
        image_sink: ImageSink | None = None,
        detector: Detector | None = None,
    ) -> None:
        self.options = options
        self.image_sink = image_sink
        self.detector: Detector = detector or _default_detector()
        self.keep_features = False

    @cached_property
    def ocr(self) -> OcrEngine:
        """Finds and recognises lines of text."""
        from galley.drafters.ocr import OcrEngine

        return OcrEngine()

    @cached_property
    def tesseract(self) -> Tesseract:
        """Reads lines in scripts that ``ocr`` does not know."""
        from galley.drafters.ocr.tesseract import Tesseract

        return Tesseract()

    @cached_property
    def tables(self) -> TableReader:
        """Finds the rows and columns of a table."""
        from galley.drafters.tables import TableReader

        return TableReader()

    @cached_property
    def formulas(self) -> FormulaReader:
        """Reads formulas as LaTeX."""
        from galley.drafters.formulas import FormulaReader

        return FormulaReader()

    def for_options(self, options: ParseOptions, image_sink: ImageSink | None) -> PageTools:
        """Tools for other options that share the models of these."""
        twin = PageTools(options, image_sink, self.detector)
        twin.ocr, twin.tables, twin.formulas = self.ocr, self.tables, self.formulas
        twin.tesseract = self.tesseract
        return twin


def _default_detector() -> Detector:
    from galley.layout.detector import PicoDetector

    return PicoDetector()
