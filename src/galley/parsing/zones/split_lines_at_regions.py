"""Pass: lines that reach over two regions, as a reader that joins columns makes them, cut at the regions' edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from galley.document import BBox
from galley.drafters.line import TextLine, Word
from galley.layout.region import Region
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools

TOUCHES = 0.1
"""Share of a line's area within a region that it reaches into."""
WHOLLY_INSIDE = 0.85
"""Share of a line's area within one region that keeps it whole."""
HOME = 0.5
"""Share of a word's area within the region that it belongs to."""


def split_lines_at_regions(page: PageState, tools: PageTools) -> None:
    """Cut lines whose words lie in different, separate regions.

    Reads: regions, lines.
    Changes: lines.
    """
    page.lines = lines_split_at(page.lines, page.regions)


def lines_split_at(lines: Sequence[TextLine], regions: Sequence[Region]) -> list[TextLine]:
    """Lines in order; one whose words lie in different, separate regions becomes one line per region."""
    return [piece for line in lines for piece in _split(line, regions)]


def _split(line: TextLine, regions: Sequence[Region]) -> list[TextLine]:
    touched = [region for region in regions if line.bbox.intersection(region.bbox) > TOUCHES * line.bbox.area]
    if (
        len(line.words) < 2
        or len(touched) < 2
        or any(line.bbox.inside(region.bbox) > WHOLLY_INSIDE for region in touched)
    ):
        return [line]
    groups: list[tuple[int | None, list[Word]]] = []
    for word in line.words:
        home = _home(word.bbox, touched)
        if groups and groups[-1][0] == home:
            groups[-1][1].append(word)
        else:
            groups.append((home, [word]))
    return [_piece(line, words) for _, words in groups] if len(groups) > 1 else [line]


def _home(box: BBox, regions: Sequence[Region]) -> int | None:
    shares = [box.inside(region.bbox) for region in regions]
    best = max(range(len(shares)), key=shares.__getitem__)
    return best if shares[best] > HOME else None


def _piece(line: TextLine, words: list[Word]) -> TextLine:
    bbox = BBox.around(word.bbox for word in words)
    text = " ".join(word.text for word in words)
    return replace(line, text=text, bbox=bbox, words=words, char_frames=None, features=None)
