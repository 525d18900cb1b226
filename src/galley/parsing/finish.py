"""What only the whole document tells: furniture that recurs, heading levels, text and tables over page
breaks.
"""

from __future__ import annotations

from galley.document import Document
from galley.parsing.continuation import link_paragraphs
from galley.parsing.levels import set_levels
from galley.parsing.options import ParseOptions
from galley.parsing.recurring import mark_recurring
from galley.parsing.table_merge import merge_tables


def finish_document(document: Document, options: ParseOptions) -> Document:
    """The document with what its pages tell together, changed in place: of a long one there is no room for two.
    Pages may have been parsed in any order or process.
    """
    mark_recurring(document)
    set_levels(document)
    link_paragraphs(document)
    if options.merge_tables:
        merge_tables(document)
    return document
