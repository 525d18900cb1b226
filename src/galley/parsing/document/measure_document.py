"""Pass: what only all pages together tell."""

from __future__ import annotations

from collections.abc import Iterable

from galley.document import Label, Page
from galley.parsing.document.state import DocumentState, HeadingPlace

POINTS_PER_INCH = 72.0


def measure_document(pages: Iterable[Page], document: DocumentState) -> Iterable[Page]:
    """Learn the type sizes, the words and the headings of all pages, which levels, hyphens and links need.

    All pages pass here before the first goes on, so they are stored.

    Reads: label, content, bbox, lines, spans.
    Changes: sizes, words, headings.
    """
    stored = document.store(pages)
    headings: list[HeadingPlace] = []
    linked = False
    for page in stored:
        document.sizes.learn(page)
        for line in (line for block in page.blocks for line in block.lines):
            document.words.learn(line.text)
        headings += [
            HeadingPlace(page.number, POINTS_PER_INCH * block.bbox.y0 / page.dpi, block.content)
            for block in page.blocks
            if block.label in (Label.TITLE, Label.HEADING)
        ]
        links = (span.link for block in page.blocks for span in block.spans)
        linked = linked or any(link is not None and link.startswith("#page=") for link in links)
    document.headings = headings if linked else []
    return stored
