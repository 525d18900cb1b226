"""Files to page images, one page at a time."""
