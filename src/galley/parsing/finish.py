"""What only the whole document tells: furniture that recurs, heading levels, text and tables over page breaks."""

from __future__ import annotations

from galley.document import Document
from galley.parsing.options import ParseOptions


def finish_document(document: Document, options: ParseOptions) -> Document:
    """The document with what its pages together tell; pages may have been parsed in any order or place."""
    return document
