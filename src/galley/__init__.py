"""Galley parses documents into Markdown, HTML tables and LaTeX by draft-and-verify decoding.

    import galley
    document = galley.parse("paper.pdf")
    print(document.to_markdown(), document.tables[0].to_csv())

    for page in galley.iter_pages("book.pdf"):
        print(page.to_markdown())

    parser = galley.Parser(model="trillionlabs/GravityOCR")
    documents = [parser.parse(path) for path in paths]

The names below are imported when first used, so that ``import galley`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from galley._version import __version__

if TYPE_CHECKING:
    from galley.api import Parser, iter_pages, parse
    from galley.document import BBox, Block, Cell, Document, Failure, Label, Page, Table
    from galley.errors import GalleyError, InputError, ModelError, OutputError, UsageError
    from galley.parsing.options import ParseOptions

_HOMES = {
    "Parser": "galley.api",
    "iter_pages": "galley.api",
    "parse": "galley.api",
    "BBox": "galley.document",
    "Block": "galley.document",
    "Cell": "galley.document",
    "Document": "galley.document",
    "Failure": "galley.document",
    "Label": "galley.document",
    "Page": "galley.document",
    "Table": "galley.document",
    "GalleyError": "galley.errors",
    "InputError": "galley.errors",
    "ModelError": "galley.errors",
    "OutputError": "galley.errors",
    "UsageError": "galley.errors",
    "ParseOptions": "galley.parsing.options",
}

__all__ = [
    "BBox",
    "Block",
    "Cell",
    "Document",
    "Failure",
    "GalleyError",
    "InputError",
    "Label",
    "ModelError",
    "OutputError",
    "Page",
    "ParseOptions",
    "Parser",
    "Table",
    "UsageError",
    "__version__",
    "iter_pages",
    "parse",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'galley' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
