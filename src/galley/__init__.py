"""Galley parses documents into Markdown, HTML tables and LaTeX by draft-and-verify decoding.

    import galley
    document = galley.parse("paper.pdf")
    for page in galley.iter_pages("book.pdf"): ...

The names below are imported when first used, so that ``import galley`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from galley._version import __version__

if TYPE_CHECKING:
    from galley.api import iter_pages, parse
    from galley.document import Document, Page
    from galley.errors import GalleyError, InputError, ModelError, OutputError, UsageError
    from galley.parsing.options import ParseOptions

_HOMES = {
    "parse": "galley.api",
    "iter_pages": "galley.api",
    "Document": "galley.document",
    "Page": "galley.document",
    "ParseOptions": "galley.parsing.options",
    "GalleyError": "galley.errors",
    "InputError": "galley.errors",
    "ModelError": "galley.errors",
    "OutputError": "galley.errors",
    "UsageError": "galley.errors",
}

__all__ = [
    "Document",
    "GalleyError",
    "InputError",
    "ModelError",
    "OutputError",
    "Page",
    "ParseOptions",
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
