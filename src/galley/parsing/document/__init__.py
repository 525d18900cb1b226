"""Passes over all pages of a document."""
