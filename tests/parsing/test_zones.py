"""Whatever the detector says, every line of a page is in exactly one zone and in exactly one block."""

from hypothesis import given, settings
from hypothesis import strategies as st

from galley.document import BBox, Label
from galley.drafters.line import TextLine, Word
from galley.layout.region import Region
from galley.parsing.blocks import Setting, build_blocks
from galley.parsing.formulas import join_numbers, split_formulas
from galley.parsing.furniture import mark_furniture
from galley.parsing.zones import Zone, find_zones

WIDTH, HEIGHT = 1000, 1400


def box(x, y, w, h):
    return BBox(x0=x, y0=y, x1=x + w, y1=y + h)


def line(text, x, y, w=None, h=20):
    """A line with its words' boxes shared out by length."""
    w = w or 10 * len(text)
    words, at = [], x
    for word in text.split():
        width = w * len(word) / max(1, len(text.replace(" ", "")))
        words.append(Word(word, box(at, y, width, h)))
        at += width
    return TextLine(text, box(x, y, w, h), confidence=0.9, words=words, size=h)


texts = st.sampled_from(
    [
        "12",
        "(3.1)",
        "a few words of prose here",
        "Total",
        "- item",
        "1. first",
        "x = y + z",
        "THE END",
        "* note",
    ]
)
lines = st.lists(
    st.builds(
        line, texts, st.integers(0, 900), st.integers(0, 1380), st.integers(5, 600), st.integers(5, 40)
    ),
    max_size=30,
)
regions = st.lists(
    st.builds(
        lambda label, x, y, w, h, score: Region(label, box(x, y, w, h), score),
        st.sampled_from([r for r in Label if r is not Label.LIST_ITEM]),
        st.integers(0, 900),
        st.integers(0, 1300),
        st.integers(1, 900),
        st.integers(1, 900),
        st.floats(0.4, 1),
    ),
    max_size=8,
)


def words(found):
    return sorted(word for item in found for word in item.text.split())


@given(regions, lines)
@settings(max_examples=150, deadline=None)
def test_no_line_is_lost_or_doubled(found, given_lines):
    zones = find_zones(found, given_lines, WIDTH, HEIGHT)
    assert words(item for zone in zones for item in zone.lines) == words(given_lines)
    zones = mark_furniture(join_numbers(split_formulas(zones)), HEIGHT, 20)
    blocks = build_blocks(zones, Setting(body=20))
    assert words(item for block in blocks for item in block.lines) == words(given_lines)


def test_text_outside_all_regions_is_kept_in_its_place():
    given_lines = [
        line("above everything", 100, 100),
        line("inside the region", 100, 300),
        line("below", 100, 600),
    ]
    zones = find_zones([Region(Label.TEXT, box(90, 290, 400, 50), 0.9)], given_lines, WIDTH, HEIGHT)
    assert [zone.lines[0].text for zone in zones] == ["above everything", "inside the region", "below"]


def test_a_line_over_two_columns_is_cut_between_them():
    columns = [
        Region(Label.TEXT, box(100, 100, 380, 200), 0.9),
        Region(Label.TEXT, box(520, 100, 380, 200), 0.9),
    ]
    joined = TextLine(
        "left words right words",
        box(110, 120, 780, 20),
        words=[
            Word("left", box(110, 120, 150, 20)),
            Word("words", box(270, 120, 200, 20)),
            Word("right", box(530, 120, 150, 20)),
            Word("words", box(690, 120, 200, 20)),
        ],
    )
    zones = find_zones(columns, [joined], WIDTH, HEIGHT)
    assert [zone.lines[0].text for zone in zones] == ["left words", "right words"]


def test_a_figure_over_paragraphs_gives_its_text_back():
    prose = [line("words of a paragraph that goes on and on", 100, 100 + 26 * i, 700) for i in range(12)]
    zones = find_zones([Region(Label.FIGURE, box(50, 50, 850, 500), 0.7)], prose, WIDTH, HEIGHT)
    assert [zone.label for zone in zones] == [Label.TEXT]


def test_an_equation_number_joins_its_formula():
    formula = Zone(Label.FORMULA, box(200, 100, 400, 50), [line("x = y", 200, 115)])
    number = Zone(Label.TEXT, box(850, 115, 60, 20), [line("(3.1)", 850, 115)])
    (joined,) = join_numbers([formula, number])
    (block,) = build_blocks([joined], Setting(body=20))
    assert (block.label, block.extra, "unverified" in block.flags) == (Label.FORMULA, {"number": "3.1"}, True)


def test_prose_in_a_formula_region_is_text():
    rows = [
        line("x = y", 200, 100),
        line("where the symbols have their usual meaning", 100, 140),
        line("z = 2", 200, 180),
    ]
    pieces = split_formulas([Zone(Label.FORMULA, box(90, 90, 500, 120), rows)])
    assert [piece.label for piece in pieces] == [Label.FORMULA, Label.TEXT, Label.FORMULA]
