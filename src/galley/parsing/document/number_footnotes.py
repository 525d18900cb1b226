"""Pass: names of footnotes that no other footnote of the document has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from galley.document import Page
from galley.parsing.document.state import DocumentState


def number_footnotes(pages: Iterable[Page], document: DocumentState) -> Iterator[Page]:
    """Add the page's number to the name of a footnote that an earlier page has too.

    Reads: spans, extra.
    Changes: spans, extra.
    """
    taken: set[str] = set()
    for page in pages:
        own = [str(block.extra["note"]) for block in page.blocks if "note" in block.extra]
        names = {name: f"{name}-p{page.number}" if name in taken else name for name in own}
        taken.update(own)
        for block in page.blocks if names else ():
            if "note" in block.extra:
                block.extra = {**block.extra, "note": names[str(block.extra["note"])]}
            if any(span.note for span in block.spans):
                block.spans = [
                    span.model_copy(update={"note": names.get(span.note, span.note)}) if span.note else span
                    for span in block.spans
                ]
        yield page
