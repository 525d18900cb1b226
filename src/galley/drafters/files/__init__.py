"""Drafts somebody already has: PP-StructureV3 JSON, hOCR, ALTO, Markdown, Galley's own JSON."""

from galley.drafters.files.read import read_draft, read_draft_text

__all__ = ["read_draft", "read_draft_text"]
