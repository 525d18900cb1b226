"""Lines to zones to blocks: nothing is lost, nothing comes twice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from page_states import blocks_of, zones_of

from galley.document import BBox, Label
from galley.drafters.line import TextLine
from galley.layout.region import Region
from galley.parsing.zones.join_equation_numbers import with_equation_numbers
from galley.parsing.zones.label_footnotes import with_footnotes
from galley.parsing.zones.label_furniture import with_furniture
from galley.parsing.zones.split_formula_zones import formulas_cut_from_prose

WIDTH, HEIGHT = 1000, 1400


def _box(x: int, y: int, w: int, h: int) -> BBox:
    return BBox(x0=x, y0=y, x1=x + w, y1=y + h)


BOXES = st.builds(_box, st.integers(0, 900), st.integers(0, 1350), st.integers(2, 600), st.integers(4, 60))
WIDE = st.builds(_box, st.integers(0, 900), st.integers(0, 1350), st.integers(2, 900), st.integers(4, 900))
TEXTS = st.sampled_from(
    ["12", "- 3 -", "• item", "a line of words", "x = y", "(4)", "Name:", "2.1 Data", "end."]
)
REGIONS = st.lists(st.builds(Region, st.sampled_from(list(Label)), WIDE, st.floats(0.4, 1.0)), max_size=8)


@given(REGIONS, st.lists(st.tuples(TEXTS, BOXES), max_size=25))
@settings(max_examples=200, deadline=None)
def test_every_line_is_in_exactly_one_block(regions: list[Region], made: list[tuple[str, BBox]]) -> None:
    lines = [TextLine(f"{text} w{i}w", box) for i, (text, box) in enumerate(made)]
    zones = with_equation_numbers(formulas_cut_from_prose(zones_of(regions, lines, WIDTH, HEIGHT)))
    blocks = blocks_of(with_footnotes(with_furniture(zones, HEIGHT), HEIGHT, 20.0), 20.0)
    read = " ".join(line.text for block in blocks for line in block.lines)
    shown = " ".join(block.content for block in blocks)
    for i in range(len(lines)):
        assert read.count(f"w{i}w") == 1
        assert shown.count(f"w{i}w") == 1


def test_text_outside_all_regions_is_kept_in_reading_order() -> None:
    lines = [TextLine(f"line {i} of the page", _box(100, 100 + 200 * i, 500, 20)) for i in range(4)]
    region = Region(Label.TEXT, _box(90, 290, 520, 40), 0.9)
    zones = zones_of([region], lines, WIDTH, HEIGHT)
    assert [zone.lines[0].text for zone in zones] == [line.text for line in lines]


def test_a_region_without_text_is_no_text() -> None:
    assert zones_of([Region(Label.TEXT, _box(0, 0, 500, 100), 0.9)], [], WIDTH, HEIGHT) == []


def test_a_header_needs_evidence() -> None:
    head = TextLine("Orchard & Sons", _box(100, 40, 300, 20))
    body = [
        TextLine(f"words that make up line {i} of it", _box(100, 300 + 30 * i, 600, 20)) for i in range(6)
    ]
    regions = [
        Region(Label.HEADER, _box(90, 30, 320, 40), 0.9),
        Region(Label.TEXT, _box(90, 290, 620, 200), 0.9),
    ]
    alone = with_furniture(zones_of(regions, [head, *body], WIDTH, HEIGHT), HEIGHT)
    assert Label.HEADER not in [zone.label for zone in alone]
    numbered = [head, TextLine("7", _box(880, 40, 15, 20)), *body]
    beside = with_furniture(zones_of(regions, numbered, WIDTH, HEIGHT), HEIGHT)
    assert {Label.HEADER, Label.PAGE_NUMBER} <= {zone.label for zone in beside}
