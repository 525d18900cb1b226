"""Pass: footnotes, by their small type, their marks and their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from galley.document import Label
from galley.geometry import shared_width
from galley.parsing.lines.measure_body_text import size_of
from galley.parsing.page.state import PageState, Zone
from galley.parsing.page.tools import PageTools

SMALLER = 0.9
"""Most ratio of a footnote's type size to the running text's."""
LOWER_PART = 0.5
"""Part of the page's height below which footnotes stand."""
_MARK = re.compile(r"^\s*(?:[*∗†‡§¶]{1,3}|\(?\d{1,3}\)?(?!\d)|\[\d{1,3}\]|[a-z]\)?|[¹²³⁴-⁹]+)\s*\S")
_WORD = re.compile(r"[^\W\d_]{2,}")


def label_footnotes(page: PageState, tools: PageTools) -> None:
    """Label footnotes: small type that opens with a mark, low on the page, with no larger text below it in its column.

    Reads: image, body, zones.
    Changes: zones.
    """
    page.zones = with_footnotes(page.zones, page.height, page.body.height)


def with_footnotes(zones: Sequence[Zone], height: int, body: float) -> list[Zone]:
    """The zones in their order, footnotes labelled.

    Args:
        zones: Those of one page.
        height: Of the page in pixels.
        body: Type size of the running text in pixels.
    """
    notes: list[int] = []
    for i in sorted(range(len(zones)), key=lambda i: -zones[i].bbox.y0):
        zone = zones[i]
        if zone.label not in (Label.TEXT, Label.REFERENCE, Label.CAPTION) or zone.rowwise or not zone.lines:
            continue
        below = [j for j in range(len(zones)) if j != i and _is_below(zones[j], zone)]
        last = all(j in notes or zones[j].label in (Label.FOOTER, Label.PAGE_NUMBER) for j in below)
        small = float(np.median([size_of(line) for line in zone.lines])) < SMALLER * body
        text = " ".join(line.text for line in zone.lines)
        if last and small and zone.bbox.y0 > LOWER_PART * height and _is_note(text):
            notes.append(i)
    return [replace(zone, label=Label.FOOTNOTE) if i in notes else zone for i, zone in enumerate(zones)]


def _is_note(text: str) -> bool:
    """A mark and words: ``93`` and ``3HE 19220 AAAB`` are a page's number and a document's."""
    return bool(_MARK.match(text)) and any(not word.isupper() for word in _WORD.findall(text))


def _is_below(other: Zone, zone: Zone) -> bool:
    return other.bbox.center[1] > zone.bbox.y1 and shared_width(other.bbox, zone.bbox) > 0
