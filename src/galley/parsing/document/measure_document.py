"""Pass: what only all pages together tell."""

from __future__ import annotations

from collections.abc import Iterable

from galley.document import Page
from galley.parsing.document.state import DocumentState


def measure_document(pages: Iterable[Page], document: DocumentState) -> Iterable[Page]:
    """Learn the type sizes and the words of all pages, which levels and hyphens need.

    All pages pass here before the first goes on, so they are stored.

    Reads: label, bbox, lines.
    Changes: sizes, words.
    """
    stored = document.store(pages)
    for page in stored:
        document.sizes.learn(page)
        for line in (line for block in page.blocks for line in block.lines):
            document.words.learn(line.text)
    return stored
