"""Files to page images, one page at a time, with the text layer of a PDF."""

from galley.ingest.kind import SUFFIXES, Kind
from galley.ingest.page import LayerQuality, PageImage, TextLayer, TextWord
from galley.ingest.ranges import PageRanges
from galley.ingest.source import Source, SourceLike, open_source

__all__ = [
    "SUFFIXES",
    "Kind",
    "LayerQuality",
    "PageImage",
    "PageRanges",
    "Source",
    "SourceLike",
    "TextLayer",
    "TextWord",
    "open_source",
]
