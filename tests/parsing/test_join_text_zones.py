"""Running text that the layout detector cut between two lines."""

from __future__ import annotations

import pytest
from page_states import blank, tools

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.parsing.page.state import Zone
from galley.parsing.text.markers import enumerator
from galley.parsing.zones.join_text_zones import join_text_zones


def zone(top: int, count: int, *, x: int = 100, height: int = 30, step: int = 40, bold: bool = False) -> Zone:
    lines = [
        TextLine(
            f"line {top} {i}",
            BBox(x0=x, y0=top + i * step, x1=x + 600, y1=top + i * step + height),
            source="pdf-text",
            bold=bold,
        )
        for i in range(count)
    ]
    return Zone(Label.TEXT, BBox.around(line.bbox for line in lines), lines)


def joined(*zones: Zone) -> list[int]:
    page = blank(1000, 1400)
    page.zones = list(zones)
    join_text_zones(page, tools())
    return [len(each.lines) for each in page.zones]


def test_zones_a_line_apart_are_one() -> None:
    assert joined(zone(100, 3), zone(220, 2)) == [5]
    assert joined(zone(100, 1), zone(140, 3), zone(260, 1)) == [5]


@pytest.mark.parametrize(
    "below",
    [
        zone(250, 2),
        zone(220, 2, x=140),
        zone(220, 2, height=36),
        zone(220, 2, bold=True),
    ],
    ids=["further apart", "set in", "larger", "bold"],
)
def test_other_text_stays_apart(below: Zone) -> None:
    assert joined(zone(100, 3), below) == [3, 2]


def test_an_area_code_is_no_list_number() -> None:
    assert enumerator("(415) 555-0199 is the number") is None
    assert enumerator("(030) 901 8210 is the number") is None
    assert enumerator("(12) 500 people came") == "(12)"
