"""What is known of a document while its pages go through the document passes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from galley.document import Block, Label, Page
from galley.parsing.options import ParseOptions
from galley.parsing.text.hyphenation import Vocabulary

PageStorage = Callable[[Iterable[Page]], Iterable[Page]]
"""Puts pages where they can be had again and again: ``list``, or ``PageStore`` for long documents."""


@dataclass
class TypeSizes:
    """The type sizes of a document's headings and of its running text, in pixels."""

    headings: array[float] = field(default_factory=lambda: array("d"))
    body: array[float] = field(default_factory=lambda: array("d"))

    def learn(self, page: Page) -> None:
        """Add those of a page."""
        for block in page.blocks:
            if block.label is Label.HEADING:
                self.headings.append(type_size(block))
            elif block.label in (Label.TEXT, Label.LIST_ITEM):
                self.body.append(type_size(block))


def type_size(block: Block) -> float:
    """Median height of a block's lines in pixels."""
    heights = [line.bbox.height for line in block.lines]
    return float(np.median(heights)) if heights else block.bbox.height


class HeadingPlace(NamedTuple):
    """Where a heading stands: the page's number and the height of its top edge, in points from the page's top."""

    page: int
    top: float
    text: str


@dataclass
class DocumentState:
    """What document passes share besides the pages themselves.

    Attributes:
        options: What was asked for.
        store: Puts pages where they can be gone through again.
        sizes: Type sizes of all pages, once ``measure_document`` has run.
        words: Words of all pages, once ``measure_document`` has run.
        headings: Headings of all pages, once ``measure_document`` has run, if a link leads to a place of the document.
    """

    options: ParseOptions
    store: PageStorage
    sizes: TypeSizes = field(default_factory=TypeSizes)
    words: Vocabulary = field(default_factory=Vocabulary)
    headings: list[HeadingPlace] = field(default_factory=list)
