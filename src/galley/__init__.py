"""Galley parses documents into Markdown, HTML tables and LaTeX by draft-and-verify decoding."""

__version__ = "0.1.0"
