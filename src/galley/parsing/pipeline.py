"""What only the whole document tells: furniture that recurs, heading levels, text and tables over page
breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from galley.document import Document, Page
from galley.parsing.document.label_recurring_furniture import mark_recurring
from galley.parsing.document.link_paragraphs import link_paragraphs
from galley.parsing.document.merge_tables import merge_tables
from galley.parsing.document.set_heading_levels import TypeSizes, set_levels
from galley.parsing.options import ParseOptions
from galley.parsing.text.hyphenation import Vocabulary

Keep = Callable[[Iterable[Page]], Iterable[Page]]
"""Puts pages somewhere from where they can be had again and again: ``list``, or ``PageStore`` for long documents."""


def finish_document(document: Document, options: ParseOptions) -> Document:
    """The document with what its pages tell together, changed in place: of a long one there is no room for two."""
    document.pages = list(finish_pages(document.pages, options, list))
    return document


def finish_pages(pages: Iterable[Page], options: ParseOptions, keep: Keep) -> Iterable[Page]:
    """The same for pages in order of number, which may be changed in place.

    It takes two passes, since levels and hyphens need the sizes and the words of all pages. Each holds a page and
    its near neighbours; only a table that goes on over pages is held as a whole.
    """
    marked = keep(mark_recurring(pages))
    sizes, words = TypeSizes(), Vocabulary()
    for page in marked:
        sizes.learn(page)
        for line in (line for block in page.blocks for line in block.lines):
            words.learn(line.text)
    finished = link_paragraphs(set_levels(marked, sizes), words)
    return keep(merge_tables(finished) if options.merge_tables else finished)
