"""Page furniture on a single page."""

from __future__ import annotations

import pytest

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.parsing.page.state import Zone
from galley.parsing.zones.label_footnotes import with_footnotes
from galley.parsing.zones.label_furniture import with_furniture

HEIGHT = 1400
BODY = 20.0


def zone(text: str, x: float, y: float, label: Label = Label.TEXT, size: float = BODY) -> Zone:
    box = BBox(x0=x, y0=y, x1=x + 8 * len(text), y1=y + size)
    return Zone(label, box, [TextLine(text, box)])


def body() -> Zone:
    boxes = [BBox(x0=100, y0=300 + 30 * i, x1=900, y1=320 + 30 * i) for i in range(20)]
    return Zone(
        Label.TEXT,
        BBox.around(boxes),
        [TextLine("a line of running text as pages have it", b) for b in boxes],
    )


def labels(*zones: Zone) -> list[Label]:
    return [found.label for found in with_footnotes(with_furniture(zones, HEIGHT), HEIGHT, BODY)]


def test_a_page_number_above_the_last_row_of_furniture() -> None:
    imprint = zone("Use subject to terms", 400, 1370, Label.FOOTER)
    assert labels(body(), zone("© 2023 Maker", 400, 1340, Label.FOOTER), zone("93", 900, 1340), imprint) == [
        Label.TEXT,
        Label.FOOTER,
        Label.PAGE_NUMBER,
        Label.FOOTER,
    ]


def test_no_page_number_above_a_line_the_detector_takes_for_text() -> None:
    assert labels(body(), zone("93", 900, 1340), zone("the end of the text", 100, 1370)) == [Label.TEXT] * 3


@pytest.mark.parametrize("text", ["93", "3HE 19220 AAAB 01", "12 34 56"])
def test_small_print_without_words_is_no_footnote(text: str) -> None:
    assert labels(body(), zone(text, 100, 1100, size=14)) == [Label.TEXT] * 2


@pytest.mark.parametrize(
    "text", ["1 See the annual report.", "* Not yet audited", "2See also Smith and Jones"]
)
def test_a_mark_and_words_in_small_print_are_a_footnote(text: str) -> None:
    assert labels(body(), zone(text, 100, 1100, size=14)) == [Label.TEXT, Label.FOOTNOTE]


@pytest.mark.parametrize("y", [1330, 1292])
def test_a_running_title_beside_the_page_number_is_a_footer(y: float) -> None:
    """Whether or not the detector says so; where text comes close it may be the text's last line."""
    text = body()
    text.lines[-1] = TextLine(text.lines[-1].text, BBox(x0=100, y0=1270, x1=900, y1=1290))
    text.bbox = BBox.around(line.bbox for line in text.lines)
    found = labels(text, zone("416", 100, y), zone("Chapter 9 Factors and Multiples", 200, y))
    assert found[1:] == [Label.PAGE_NUMBER, Label.FOOTER if y == 1330 else Label.TEXT]


def test_page_numbers_in_a_row_of_pieces() -> None:
    pieces = [zone(text, x, 1330).lines[0] for text, x in (("44", 100), ("The Chapter", 300), ("45", 900))]
    row = Zone(Label.TEXT, BBox.around(piece.bbox for piece in pieces), pieces, rowwise=True)
    assert labels(body(), row)[1:] == [Label.PAGE_NUMBER, Label.FOOTER, Label.PAGE_NUMBER]
