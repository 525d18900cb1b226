"""Galley as a document loader of other frameworks."""
