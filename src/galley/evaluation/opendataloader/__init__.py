"""opendataloader-bench: born-digital pages scored by reading order, tables and headings."""
