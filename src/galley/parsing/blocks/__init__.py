"""Passes that make the zones of a page blocks of a document."""
