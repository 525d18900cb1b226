"""Documents as plain typed data, and the formats they are written in.

The model knows nothing of the exporters, which are made of it; its methods find them as bound here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from galley.document.bbox import BBox
from galley.document.exporters import export
from galley.document.glmocr import to_glmocr
from galley.document.json import from_json, to_json
from galley.document.methods import bind
from galley.document.model import (
    Block,
    Cell,
    Document,
    Failure,
    FormField,
    Label,
    Line,
    Page,
    Table,
    Work,
)
from galley.document.spans import Span, Style
from galley.document.table_grid import table_csv, table_dataframe
from galley.document.table_html import table_html

if TYPE_CHECKING:
    from docling_core.types.doc import DoclingDocument


def _to_docling(document: Document) -> DoclingDocument:
    from galley.document.docling import to_docling  # needs docling-core, which may be missing

    return to_docling(document)


bind(
    export=export,
    to_json=to_json,
    from_json=from_json,
    to_docling=_to_docling,
    to_glmocr=to_glmocr,
    table_to_html=table_html,
    table_to_csv=table_csv,
    table_to_dataframe=table_dataframe,
)

__all__ = [
    "BBox",
    "Block",
    "Cell",
    "Document",
    "Failure",
    "FormField",
    "Label",
    "Line",
    "Page",
    "Span",
    "Style",
    "Table",
    "Work",
]
