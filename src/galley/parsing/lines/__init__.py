"""Passes that make a page's lines of text, from its text layer or by OCR."""
