"""Documents as plain typed data, with exporters beside it."""

from galley.document.model import (
    BBox,
    Block,
    Cell,
    Document,
    Failure,
    Label,
    Line,
    Page,
    Table,
    Work,
)

__all__ = ["BBox", "Block", "Cell", "Document", "Failure", "Label", "Line", "Page", "Table", "Work"]
