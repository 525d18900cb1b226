"""Table structure from rulings, white space and text lines."""

from galley.drafters.tables.find import find_tables
from galley.drafters.tables.grow import grow_table
from galley.drafters.tables.reader import TableReader

__all__ = ["TableReader", "find_tables", "grow_table"]
