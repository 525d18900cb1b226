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
    """A copy of the document with what its pages tell together. Pages may have been parsed in any order or
    process.
    """
    finished = document.model_copy(deep=True)
    mark_recurring(finished)
    set_levels(finished)
    link_paragraphs(finished)
    if options.merge_tables:
        merge_tables(finished)
    return finished
