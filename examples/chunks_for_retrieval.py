"""Cut a document into chunks for a search index: whole blocks under their heading, with page and box as metadata.

python examples/chunks_for_retrieval.py samples/report.pdf
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import galley
from galley import Block, Document, Label, Page

MOST_CHARACTERS = 800  # unless one block alone is longer
FURNITURE = (Label.HEADER, Label.FOOTER, Label.PAGE_NUMBER)


def chunks(document: Document) -> Iterator[dict[str, Any]]:
    """Chunks of whole blocks; none is longer than ``MOST_CHARACTERS`` or reaches over a heading or page."""
    heading = ""
    for page in document.pages:
        blocks: list[Block] = []
        for block in page.blocks:
            starts = block.label in (Label.TITLE, Label.HEADING)
            length = sum(len(other.content) for other in [*blocks, block])
            if blocks and (starts or length > MOST_CHARACTERS):
                yield chunk(heading, page, blocks)
                blocks = []
            if starts:
                heading = block.content
            elif block.content and block.label not in FURNITURE:
                blocks.append(block)
        if blocks:
            yield chunk(heading, page, blocks)


def chunk(heading: str, page: Page, blocks: list[Block]) -> dict[str, Any]:
    """One entry of the index; boxes are (x0, y0, x1, y1) in pixels of the page image."""
    return {
        "heading": heading,
        "page": page.number,
        "text": "\n\n".join(block.content for block in blocks),
        "boxes": [list(block.bbox.model_dump().values()) for block in blocks],
    }


for found in chunks(galley.parse(sys.argv[1])):
    print(json.dumps(found, ensure_ascii=False))
