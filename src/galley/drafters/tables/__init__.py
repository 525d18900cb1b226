"""Table structure from rulings, white space and text lines."""

from galley.drafters.tables.reader import TableReader

__all__ = ["TableReader"]
