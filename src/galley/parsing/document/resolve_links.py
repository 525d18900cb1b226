"""Pass: links within the document to the headings they lead to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from galley.document import Block, Label, Page
from galley.document.spans import merged
from galley.parsing.document.state import DocumentState, HeadingPlace

REACH = 40.0
"""Points from where a link leads to the top of the heading it means: programs aim a line or two above it."""
_PLACE = re.compile(r"#page=(\d+)(?:&top=(-?[\d.]+))?")
_HEADINGS = (Label.TITLE, Label.HEADING)


def resolve_links(pages: Iterable[Page], document: DocumentState) -> Iterator[Page]:
    """Give each link into the document the name of the heading it leads to; one that leads elsewhere becomes text.

    Headings get ``extra["anchor"]``: the name that GitHub and most readers of Markdown give them.

    Reads: label, content, spans, headings.
    Changes: spans, extra.
    """
    anchors = heading_anchors([heading.text for heading in document.headings])
    at = 0
    for page in pages:
        for block in page.blocks:
            if block.label in _HEADINGS and anchors[at : at + 1]:
                block.extra, at = {**block.extra, "anchor": anchors[at]}, at + 1
            if any(span.link and span.link.startswith("#page=") for span in block.spans):
                _resolve(block, document.headings, anchors)
        yield page


def heading_anchors(texts: Iterable[str]) -> list[str]:
    """The names of headings: lower-case letters and figures, spaces as hyphens, and a number for one that recurs."""
    seen: Counter[str] = Counter()
    found = []
    for text in texts:
        kept = "".join(char for char in text.strip().lower() if char.isalnum() or char in " -_")
        name = kept.replace(" ", "-") or "section"
        found.append(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def _resolve(block: Block, headings: list[HeadingPlace], anchors: list[str]) -> None:
    spans = []
    for span in block.spans:
        match = _PLACE.fullmatch(span.link) if span.link else None
        name = _aimed_at(match, headings, anchors) if match else None
        link = f"#{name}" if name else None if match else span.link
        if link or span.styles or span.note:
            spans.append(span.model_copy(update={"link": link}))
    block.spans = merged(spans)


def _aimed_at(match: re.Match[str], headings: list[HeadingPlace], anchors: list[str]) -> str | None:
    """The name of the heading at a place; for a page without a height the one that is its first."""
    page, top = int(match[1]), float(match[2]) if match[2] else None
    own = [
        (heading.top, name) for heading, name in zip(headings, anchors, strict=True) if heading.page == page
    ]
    if top is None:
        return min(own)[1] if own else None
    near = [(abs(place - top), name) for place, name in own if -REACH / 2 < place - top < REACH]
    return min(near)[1] if near else None
