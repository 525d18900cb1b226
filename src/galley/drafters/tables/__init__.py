"""Table structure from rulings, white space and text lines."""

from galley.drafters.tables.aligned_tables import find_aligned_tables
from galley.drafters.tables.find_tables import find_tables
from galley.drafters.tables.grow_table import grow_table
from galley.drafters.tables.reader import TableReader

__all__ = ["TableReader", "find_aligned_tables", "find_tables", "grow_table"]
